// Filled in by the neural engine.
