"""How long collectives and incasts take, and which algorithm is best."""
