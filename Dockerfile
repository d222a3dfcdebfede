# Both images in one file, since they share their largest layers: Python, torch, and Torchmedic.
#
#     docker build --target executor -t torchmedic-executor .
#     docker build --target bot      -t torchmedic-bot .
#     docker build --target test     -t torchmedic-test .       # what scripts/compose-check runs
#
# Works with BuildKit and with the classic builder, so there is no `RUN --mount` here.

ARG PYTHON_IMAGE=python:3.11-slim-bookworm

# -- packages: Python and what the executor imports ----------------------------------------------
FROM ${PYTHON_IMAGE} AS packages

# The CPU build of torch. For a GPU: https://download.pytorch.org/whl/cu130, say, or
# https://pypi.org/simple, whose Linux wheels bring CUDA along.
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
# pip's own variables, for a mirror or a folder of wheels; nothing is set where none is given.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
# What snippets may import beside torch, torchvision, numpy and matplotlib: "pandas scipy", say.
ARG SNIPPET_PACKAGES=""
# Debian packages for snippets: "g++" makes torch.compile work (150 MB more).
ARG SYSTEM_PACKAGES=""

RUN [ -z "${SYSTEM_PACKAGES}" ] || { apt-get update \
 && apt-get install -y --no-install-recommends ${SYSTEM_PACKAGES} && rm -rf /var/lib/apt/lists/*; }
# A set-uid program gains nothing under no-new-privileges; without the bit it cannot try.
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && groupadd --gid 10001 torchmedic \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/torchmedic \
            --shell /usr/sbin/nologin torchmedic \
 && install -d -o root -g torchmedic -m 0750 /run/torchmedic \
 && install -d -o torchmedic -g torchmedic -m 0700 /var/lib/torchmedic \
 && install -d -m 0711 /scratch \
 && python -m venv /opt/torchmedic
ENV PATH=/opt/torchmedic/bin:/usr/local/bin:/usr/bin:/bin \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    PYTHONUNBUFFERED=1

COPY constraints.txt /build/
RUN pip install -c /build/constraints.txt --extra-index-url "${TORCH_INDEX}" torch torchvision numpy
# No sentence-transformers, no faiss: the executor needs none, so a snippet finds none to attack.
# tests/test_compose_file.py holds this list against what executor/ imports.
RUN pip install -c /build/constraints.txt \
        fastapi httpx libcst matplotlib pillow prometheus-client pydantic uvicorn ${SNIPPET_PACKAGES}

# -- wheel: Torchmedic itself, so that neither sources nor setuptools reach an image ---------------
FROM packages AS wheel
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
COPY pyproject.toml README.md LICENSE /build/
COPY bot /build/bot
COPY executor /build/executor
COPY knowledge /build/knowledge
RUN pip wheel --no-deps -w /wheel /build

# -- executor ------------------------------------------------------------------------------------
FROM packages AS executor
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
# What snippets may import: "small" is what is above; "full" an environment of its own with the
# libraries of constraints-snippets.txt, 2 GB more (docs/libraries.md).
ARG SNIPPETS=small
COPY constraints-snippets.txt /build/
COPY --from=wheel /wheel /wheel
RUN case "${SNIPPETS}" in \
      small) ;; \
      full) python -m venv /opt/torchmedic-snippets \
         && /opt/torchmedic-snippets/bin/pip install --extra-index-url "${TORCH_INDEX}" \
                -r /build/constraints-snippets.txt \
         && /opt/torchmedic-snippets/bin/pip install --no-deps /wheel/*.whl ;; \
      *) echo "SNIPPETS is small or full, not ${SNIPPETS}" >&2; exit 1 ;; \
    esac
RUN pip install --no-deps /wheel/*.whl
# Root of a container that has next to no capabilities: each run gets a user of its own, and only
# root may hand those out. The group is the bot's, so that the socket is open to it.
USER 0:10001
WORKDIR /
ENV TMPDIR=/scratch
ENTRYPOINT ["python", "-P", "-m", "executor"]
CMD ["--uds", "/run/torchmedic/executor.sock", "--uds-mode", "660", \
     "--settings", "{\"tier\": \"uid\"}"]

# -- bot -----------------------------------------------------------------------------------------
FROM packages AS bot-packages
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
COPY pyproject.toml /build/
RUN python -c 'import tomllib; print(*tomllib.load(open("/build/pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' > /build/dependencies.txt \
 && pip install -c /build/constraints.txt -r /build/dependencies.txt

FROM bot-packages AS bot
COPY --from=wheel /wheel /wheel
RUN pip install --no-deps /wheel/*.whl
USER 10001:10001
WORKDIR /var/lib/torchmedic
ENV TORCHMEDIC_STATE=/var/lib/torchmedic \
    TORCHMEDIC_EXECUTOR__URL=unix:/run/torchmedic/executor.sock
CMD ["torchmedic", "chat"]

# -- test: the suites that attack the jail, to be run inside the very walls of the executor ---------
FROM bot-packages AS test-packages
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
RUN pip install -c /build/constraints.txt hypothesis pytest pytest-asyncio pytest-timeout

FROM test-packages AS test
COPY --from=wheel /wheel /wheel
RUN pip install --no-deps /wheel/*.whl
COPY pyproject.toml config.yaml /torchmedic/
COPY examples /torchmedic/examples
COPY docs/findings.md /torchmedic/docs/
COPY tests /torchmedic/tests
USER 0:10001
WORKDIR /torchmedic
ENV TMPDIR=/scratch \
    TORCHMEDIC_CONTAINER=yes HYPOTHESIS_STORAGE_DIRECTORY=/scratch/hypothesis
ENTRYPOINT ["python", "-m", "pytest", "-p", "no:cacheprovider"]
CMD ["-q", "tests/executor"]
