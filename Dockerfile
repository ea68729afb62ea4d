# The server, its console and the bundled index in one image. Build: docker build -t crawlway .
# With Chromium, for pages made by scripts (docs/rendering.md): docker build --build-arg CHROMIUM=yes -t crawlway .
# By digest: docker build --build-arg NODE_DIGEST=@sha256:… -t crawlway .
# A configuration has to be mounted at /etc/crawlway/CrawlConfig.xml.
ARG NODE_DIGEST=
FROM node:26.10.0-bookworm-slim${NODE_DIGEST} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# The package is the packed program; of the packages that the build needed, those stay that it loads while it runs.
RUN npm run package && npm run sbom --silent > dist/package/dist/sbom.cdx.json \
  && cp dist/package/package.json . && rm package-lock.json && npm prune --omit=dev --no-audit --no-fund

FROM node:26.10.0-bookworm-slim${NODE_DIGEST}
# A user that /etc/passwd does not know has no home, which Chromium wants and writes to.
ENV NODE_ENV=production \
    HOME=/tmp \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    UV_THREADPOOL_SIZE=32 \
    CRAWLWAY_CONFIG=/etc/crawlway/CrawlConfig.xml \
    CRAWLWAY_DATA=/var/lib/crawlway \
    CRAWLWAY_HOST=0.0.0.0 \
    CRAWLWAY_PORT=8740
WORKDIR /opt/crawlway
COPY --from=build /build/dist/package ./
COPY --from=build /build/node_modules ./node_modules
ARG CHROMIUM=no
RUN if [ "$CHROMIUM" = yes ]; then apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell && rm -rf /var/lib/apt/lists/*; fi
# A user of its own, by number so that Kubernetes can see that it is not root.
RUN install -d -o 10001 -g 10001 /etc/crawlway /var/lib/crawlway
USER 10001:10001
VOLUME /var/lib/crawlway
EXPOSE 8740
# An API key is demanded by the server itself: without CRAWLWAY_API_KEYS it refuses to listen for others.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CRAWLWAY_PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# The same flags as in scripts/launch.mjs.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--max-old-space-size=1536", "dist/program/crawlway.js"]
CMD ["serve", "--no-sample"]
