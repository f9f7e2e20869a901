# The KRM function and the command as an image. Its last stage is for all: hosts that run functions in containers, Argo CD's sidecar, nodefit sync.
#   --target function   without git, ssh and a shell: for hosts that run functions, and Argo CD's sidecar
#   --target jobs       with all of Debian: for jobs of a CI server, which need a shell and its tools
# The base by its digest, so that the same source gives the same image; raise both together. The builder may set another one.
ARG BASE=node:24.11.1-bookworm-slim@sha256:48abc13a19400ca3985071e287bd405a1d99306770eb81d61202fb6b65cf0b57

# What is built is the same for every processor, and is built on the builder's own.
FROM --platform=${BUILDPLATFORM} ${BASE} AS build
WORKDIR /nodefit
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json LICENSE ./
RUN npm ci --no-audit --no-fund
COPY fn-config fn-config
COPY src src
COPY playground playground
COPY tools tools
RUN npm run --silent build
# as one file, of which the cache of a builder sees whether it has changed
RUN node_modules/.bin/esbuild tools/image/root.ts --bundle --platform=node --external:libxmljs2 --external:xmlbuilder2 --log-level=warning --outfile=root.cjs

# The image's own processor: nothing of it is run. It is named since buildah would go on with that of the first stage.
FROM --platform=${TARGETPLATFORM} ${BASE} AS system

# Not from the stage "build", whose packages would be copied once more for each. The processor is named for the cache: buildah does not
# see that what is mounted has changed.
FROM --platform=${BUILDPLATFORM} ${BASE} AS function-root
ARG TARGETARCH
COPY --from=build /nodefit/root.cjs /
RUN --mount=type=bind,from=system,target=/system node /root.cjs --system /system --output /root-files \
  --link /usr/local/bin/nodefit=../lib/nodefit/nodefit.cjs --link /usr/local/bin/nodefit-fn=../lib/nodefit/fn.cjs \
  /usr/local/bin/node /usr/bin/env

FROM scratch AS function
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="nodefit" \
  org.opencontainers.image.description="Fits what runs on every node to the nodes you have: a KRM function that renders DaemonSets sized per node group" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.vendor="nodefit"
ENV PATH=/usr/local/bin:/usr/bin:/bin
COPY --from=function-root /root-files /
COPY --from=build /nodefit/dist/*.cjs /nodefit/dist/*.program /nodefit/dist/*.compiled /usr/local/lib/nodefit/
COPY --from=build /nodefit/LICENSE /nodefit/dist/third-party-licenses.txt /nodefit/dist/nodefit.cdx.json /usr/share/doc/nodefit/
# what editors and catalogs read, and what Argo CD's sidecar does without a ConfigMap
COPY --from=build /nodefit/fn-config /usr/share/nodefit/fn-config
COPY deploy/argocd/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
# nobody, as a number: Kubernetes cannot tell of a name that it is not root (runAsNonRoot)
USER 65534:65534
ENTRYPOINT ["nodefit-fn"]

# What nodefit sync pushes with, as Debian installs it.
FROM --platform=${TARGETPLATFORM} ${BASE} AS git
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/*

FROM git AS jobs
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="nodefit" \
  org.opencontainers.image.description="nodefit on Debian, for jobs of a CI server" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.vendor="nodefit"
COPY --from=function /usr/local/lib/nodefit /usr/local/lib/nodefit
COPY --from=function /usr/share/doc/nodefit /usr/share/doc/nodefit
RUN ln -s ../lib/nodefit/nodefit.cjs /usr/local/bin/nodefit && ln -s ../lib/nodefit/fn.cjs /usr/local/bin/nodefit-fn
USER 65534:65534
ENTRYPOINT ["nodefit-fn"]

FROM --platform=${BUILDPLATFORM} ${BASE} AS sync-root
ARG TARGETARCH
COPY --from=build /nodefit/root.cjs /
RUN --mount=type=bind,from=git,target=/system node /root.cjs --system /system --output /root-files \
  --data /etc/ssl/certs/ca-certificates.crt --data /usr/share/git-core/templates \
  /usr/local/bin/node /usr/bin/env /usr/bin/git /usr/lib/git-core/git /usr/lib/git-core/git-remote-https /usr/bin/ssh /usr/bin/ssh-keygen /bin/sh

FROM function AS sync
COPY --from=sync-root /root-files /
