import multiprocessing

# As in a worker on Windows, while it imports this script.
multiprocessing.current_process()._inheriting = True

spawn = multiprocessing.get_context("spawn")
spawn.Process(target=print).start()  # error: RuntimeError: An attempt has been made to start a new process before the current process has finished its bootstrapping phase.
