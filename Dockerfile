# skillgate over HTTP. It does not start without authentication in the configuration: see examples/deploy/README.md.

FROM node:20-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY build.js build-defaults.js build-types.js tsconfig.json tsconfig.types.json ./
COPY bin bin
COPY index index
COPY page page
COPY src src
COPY extensions extensions
COPY models/static models/static
RUN npm run build
# Keeps the optional packages that are not bundled. Removes what only other embedding models need.
RUN npm prune --omit=dev \
  && rm -rf node_modules/@huggingface node_modules/@img node_modules/onnxruntime-* node_modules/sharp

FROM node:20-bookworm-slim
# Sources that are repositories need git.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && install --directory --owner=node --group=node /var/lib/skillgate /var/log/skillgate
COPY package.json LICENSE /app/
COPY models/static /app/models/static
COPY --from=build /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
ENV NODE_ENV=production \
  XDG_CACHE_HOME=/var/lib/skillgate/cache \
  SKILLGATE_INDEX=/var/lib/skillgate/index
# skillgate looks for its configuration here.
WORKDIR /etc/skillgate
USER node
VOLUME /var/lib/skillgate
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/skillgate.cjs"]
CMD ["serve", "--http", "--host", "0.0.0.0"]
