"""One exception per cause; every message says what was expected, what came, and what to do."""


class BenchError(Exception):
    """Base of everything this project raises on purpose; the command line prints it without a traceback."""


class DefinitionError(BenchError):
    """A workload, a framework folder or its framework.toml does not say what it must."""


class Unsupported(BenchError):  # noqa: N818 - a reason, not a mistake
    """This environment cannot run this case; the message becomes the published reason."""


class ParityError(BenchError):
    """Two environments did not compute the same thing, or one has not proven that it does."""


class RecordError(BenchError):
    """A line of a result file does not follow bench/results/lines.py."""


class BusyError(BenchError):
    """Another process measures on this machine, or writes results, prepares data or installs in the same folder."""


class DeviceError(BenchError):
    """A device that was there when it was probed is gone."""


class ContractError(BenchError):
    """An adapter does not do what bench/frameworks/README.md asks of it."""


class DataError(BenchError):
    """A file of a data set is not what its source promises, or cannot be read."""


class MissingDataError(DataError):
    """A data set is asked for that has not been prepared."""


class DownloadError(DataError):
    """A file could not be had: no network, no such address, or a server that fails."""


class AccessError(DownloadError):
    """A source wants a login or a licence accepted before it gives a file."""


class OfflineError(DownloadError):
    """A file must be downloaded, and downloading is forbidden."""


class ChecksumError(DataError):
    """A file's content is not the content that was published."""


class SpaceError(DataError):
    """The disk has not enough room."""
