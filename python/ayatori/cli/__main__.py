from ayatori.cli import main

main()
