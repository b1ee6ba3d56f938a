import tensorflow as tf


def embedding(x, name):
    with tf.variable_scope(name):
        table = tf.get_variable("table", [36, 50])
    return tf.nn.embedding_lookup(table, x)


def lstm(x, name):
    cell = tf.nn.rnn_cell.BasicLSTMCell(50, forget_bias=1.0)
    _, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope=name)
    return state.h  # (batch, 50): the last output


def Model(x, training):
    story, question = x  # (batch, 552), (batch, 5)
    story = embedding(story, name="story_embedding")  # (batch, 552, 50)
    story = tf.layers.dropout(story, rate=0.3, training=training)
    question = embedding(question, name="question_embedding")
    question = tf.layers.dropout(question, rate=0.3, training=training)
    question = lstm(question, name="question_lstm")
    x = story + tf.expand_dims(question, 1)  # the question is added to every word
    x = lstm(x, name="story_lstm")
    x = tf.layers.dropout(x, rate=0.3, training=training)
    return tf.layers.dense(x, 36, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
