import multiprocessing

# As in a worker on Windows, while it imports this script.
multiprocessing.current_process()._inheriting = True
__name__ = "__mp_main__"  # what the script is called there

if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    spawn.Process(target=print).start()
