import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { describeApi } from './document.js';

/** The API description, readable and to try out, at /docs; as JSON at /docs/openapi.json. All files are local. */
export function serveDescription(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    customSiteTitle: 'Crawlway API',
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, validatorUrl: null },
  });
}
