"""How much of a communication a computation hides, with whatever moves it: measured, and explained for any program."""
