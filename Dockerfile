# The service in a container: two stages, no root, nothing written outside the volume /data.
#   docker build -t sidelight .
#   docker run --read-only --tmpfs /tmp -v sidelight:/data -p 8765:8765 sidelight
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
COPY container/install.sh /source/
RUN /source/install.sh /source /opt/sidelight

FROM ${BASE}
RUN useradd --uid 10001 --create-home --home-dir /data sidelight
COPY --from=build /opt/sidelight /opt/sidelight
ENV PATH=/opt/sidelight/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    SIDELIGHT_DATABASE=/data/sidelight.db SIDELIGHT_HOST=0.0.0.0 SIDELIGHT_PORT=8765
USER sidelight
WORKDIR /data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["python3", "-c", "import os, urllib.request as r; r.urlopen(f'http://127.0.0.1:{os.environ[\"SIDELIGHT_PORT\"]}/readyz', timeout=2)"]
ENTRYPOINT ["sidelight"]
CMD ["serve"]
