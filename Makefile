# For habit: every name goes to ./run.
.PHONY: demo test build bench experiments lint install
demo test build bench experiments lint:
	./run $@
install:
	./run install PREFIX=$(PREFIX)
