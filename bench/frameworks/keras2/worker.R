# Start a worker in an environment's Python, which R embeds through reticulate.
#   Rscript worker.R PYTHON -m MODULE REQUEST
words <- commandArgs(trailingOnly = TRUE)
python <- words[1]
module <- words[3]
request <- words[4]

unlink(tempdir(), recursive = TRUE) # nothing uses R's folder of temporary files, and a killed worker would leave it
unlink(file.path(dirname(python), "activate_this.py")) # uv's needs Python 3.7, and reticulate would run it
Sys.setenv(RETICULATE_PYTHON = python)

unsupported <- function(error) {
  reason <- paste0(
    "R cannot embed this environment's Python (", sub("[.]?\n.*", "", conditionMessage(error)), "). Build one with a shared ",
    "library: PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install 3.6.15"
  )
  reply <- list(status = "unsupported", reason = reason)
  jsonlite::write_json(reply, jsonlite::read_json(request)$reply, auto_unbox = TRUE)
  quit()
}
tryCatch(reticulate::py_config(), error = unsupported)

main <- reticulate::import_main()
main$source <- function(path) source(path)$value # for backend_r.py
worker <- reticulate::import(paste0(module, ".__main__"))
worker$main(request)
worker$replies$leave()
