# docker build -t du-eval . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" du-eval test
FROM python:3.12-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/du-eval && /opt/du-eval/bin/pip install --no-cache-dir --quiet -c constraints.txt .

FROM python:3.12-slim
COPY --from=build /opt/du-eval /opt/du-eval
ENV PATH="/opt/du-eval/bin:$PATH" PYTHONDONTWRITEBYTECODE=1
RUN useradd --create-home --uid 10001 tester
USER 10001
WORKDIR /work
ENTRYPOINT ["du-eval"]
CMD ["--help"]
