# The KRM function and the command as an image: for hosts that run functions in containers, for Argo CD's sidecar, and for nodefit sync.
FROM node:24-bookworm-slim AS build
WORKDIR /nodefit
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json ./
RUN npm ci --no-audit --no-fund
COPY fn-config fn-config
COPY src src
COPY tools tools
RUN npm run --silent build

FROM node:24-bookworm-slim
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
COPY --from=build /nodefit/dist/sync.cjs /usr/local/bin/sync.cjs
USER nobody
ENTRYPOINT ["nodefit-fn"]
