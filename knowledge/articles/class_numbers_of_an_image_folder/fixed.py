folders = [f"{n:02d}" for n in range(12)]  # one for each class
class_to_idx = {name: i for i, name in enumerate(sorted(folders))}  # what ImageFolder does
assert all(class_to_idx[name] == int(name) for name in folders), f"folder 2 is class {class_to_idx['2']}"
