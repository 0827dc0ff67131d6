# Assay as a command: docker run --rm -v "$PWD:/home/assay/work" IMAGE run study.toml
FROM python:3.12-slim
RUN useradd --create-home --uid 10001 assay
COPY pyproject.toml README.md LICENSE CHANGELOG.md /build/
COPY src /build/src
RUN pip install --no-cache-dir /build && rm -rf /build
USER 10001
WORKDIR /home/assay/work
# says whether subjects can be confined here: Landlock is the kernel's, a container only lets it through
HEALTHCHECK --interval=1h --timeout=2m --retries=1 CMD ["assay", "doctor"]
ENTRYPOINT ["assay"]
CMD ["--help"]
