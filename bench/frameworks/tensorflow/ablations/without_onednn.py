VARIABLES = {"TF_ENABLE_ONEDNN_OPTS": "0"}  # TensorFlow reads it when it is imported


def vary(program, source):
    return program, source
