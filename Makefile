# For habit: every name goes to ./run.
.PHONY: demo test build bench lint install
demo test build bench lint:
	./run $@
install:
	./run install PREFIX=$(PREFIX)
