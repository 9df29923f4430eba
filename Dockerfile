# syntax=docker/dockerfile:1

# Everything that takes compilers happens here and stays here.
FROM node:20-bookworm AS build
WORKDIR /app
# Packages first: this layer is reused until the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
# The headless shell takes a third of the CPU of a full Chromium; that is the fallback where Debian lacks the shell.
# With BROWSERS="chromium-headless-shell chromium" both are there, for domain policies that demand one, or for
# SCRAPER_BROWSER_ENGINE=chromium. The service finds either on the PATH. Asking for the version proves that it starts.
ARG BROWSERS=chromium-headless-shell
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates fonts-liberation fonts-noto-core tini \
  && { apt-get install -y --no-install-recommends $BROWSERS \
    || apt-get install -y --no-install-recommends chromium; } \
  && rm -rf /var/lib/apt/lists/* \
  && "$(command -v chromium-headless-shell || command -v chromium)" --version \
  && install -d -o node -g node -m 0700 /data

WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY config ./config

# Chromium's own sandbox needs user namespaces, which the default seccomp profile of a container forbids; with it
# switched on no browser would start. The container is the sandbox instead: no root, no capabilities, nothing
# writable but /data and /tmp (see docker-compose.yml). Where the seccomp profile allows user namespaces, set
# SCRAPER_CHROMIUM_SANDBOX=on and have both.
ENV NODE_ENV=production \
  UV_THREADPOOL_SIZE=32 \
  HOME=/tmp \
  SCRAPER_HOST=0.0.0.0 \
  SCRAPER_DATA_DIR=/data \
  SCRAPER_CHROMIUM_SANDBOX=off

USER node
VOLUME /data
EXPOSE 8001

HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SCRAPER_PORT || 8001}/readiness`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# tini reaps the processes a crashed Chromium leaves behind and passes signals on.
ENTRYPOINT ["/usr/bin/tini", "--"]
# Room for young objects: a page and its tree are then gone before they count as old, which saves a fifth of the CPU.
CMD ["node", "--max-semi-space-size=32", "dist/main.js"]
