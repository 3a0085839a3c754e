# skillgate over HTTP. Without authentication in the configuration it does not start: see examples/deploy/README.md.

FROM node:20-bookworm AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY build.js tsconfig.json tsconfig.types.json ./
COPY index index
COPY src src
COPY models/static models/static
RUN npm run build
# What is left are the optional packages that are not bundled; models other than the shipped one are left out.
RUN npm prune --omit=dev \
  && rm -rf node_modules/@huggingface node_modules/@img node_modules/onnxruntime-* node_modules/sharp

FROM node:20-bookworm-slim
# git is for sources that are repositories.
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
# The configuration is found here.
WORKDIR /etc/skillgate
USER node
VOLUME /var/lib/skillgate
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/skillgate.js"]
CMD ["serve", "--http", "--host", "0.0.0.0"]
