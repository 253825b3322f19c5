"""Which host of a job should have which ranks (`ayatori order`)?"""
