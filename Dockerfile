# The KRM function and the command as an image: for hosts that run functions in containers, for Argo CD's sidecar, and for nodefit sync.
# The base by its digest, so that the same source gives the same image; raise both together. The builder may set another one.
ARG BASE=node:24.11.1-bookworm-slim@sha256:48abc13a19400ca3985071e287bd405a1d99306770eb81d61202fb6b65cf0b57

FROM ${BASE} AS build
WORKDIR /nodefit
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json LICENSE ./
RUN npm ci --no-audit --no-fund
COPY fn-config fn-config
COPY src src
COPY tools tools
RUN npm run --silent build

FROM ${BASE}
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="nodefit" \
  org.opencontainers.image.description="Fits what runs on every node to the nodes you have: a KRM function that renders DaemonSets sized per node group" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="Apache-2.0"
# what nodefit sync pushes with
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /nodefit/dist/fn.cjs /usr/local/bin/nodefit-fn
COPY --from=build /nodefit/dist/fn.cjs.program /usr/local/bin/nodefit-fn.program
COPY --from=build /nodefit/dist/fn.cjs.compiled /usr/local/bin/nodefit-fn.compiled
COPY --from=build /nodefit/dist/nodefit.cjs /usr/local/bin/nodefit
COPY --from=build /nodefit/dist/nodefit.cjs.program /usr/local/bin/nodefit.program
COPY --from=build /nodefit/dist/nodefit.cjs.compiled /usr/local/bin/nodefit.compiled
COPY --from=build /nodefit/dist/api.cjs /usr/local/bin/api.cjs
COPY --from=build /nodefit/dist/page.cjs /usr/local/bin/page.cjs
COPY --from=build /nodefit/dist/sync.cjs /usr/local/bin/sync.cjs
COPY --from=build /nodefit/LICENSE /nodefit/dist/third-party-licenses.txt /nodefit/dist/nodefit.cdx.json /usr/share/doc/nodefit/
# nobody, as a number: Kubernetes cannot tell of a name that it is not root (runAsNonRoot)
USER 65534:65534
ENTRYPOINT ["nodefit-fn"]
