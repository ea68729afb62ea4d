/**
 * Headers of every response. Everything that the console and the API documentation need comes from this server; a
 * script, style or request for any other server is an attack.
 */
export const SECURITY_HEADERS = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      /** CodeMirror and Swagger UI set style attributes, which is harmless because styles cannot run code. */
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      manifestSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  /** The server speaks plain HTTP; an operator who puts TLS in front of it sets this header there. */
  strictTransportSecurity: false,
} as const;
