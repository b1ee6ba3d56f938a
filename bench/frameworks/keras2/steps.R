# What trains and predicts in R. `model` is Keras' own; x and y are R arrays, which reticulate hands to Python.
list(
  train = function(model, x, y) model$train_on_batch(x, y),
  predict = function(model, x) model$predict_on_batch(x),
  fit = function(model, x, y, ...) model$fit(x, y, ...)
)
