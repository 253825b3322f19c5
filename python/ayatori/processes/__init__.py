"""Child processes: started, watched, ended, and gone when this process is gone."""
