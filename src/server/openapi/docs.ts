import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { PROJECT_ROOT } from '../project-root.js';
import { describeApi } from './document.js';

/**
 * Files of the documentation pages, which the build puts beside the program; without a build, they are in node_modules.
 */
const PAGES_FOLDER = join(PROJECT_ROOT, 'dist', 'program', 'api-pages');

/**
 * Serves the API description at /docs, for reading and trying out, and as JSON at /docs/openapi.json. All files are
 * local.
 */
export function serveApiDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    customSwaggerUiPath: existsSync(PAGES_FOLDER) ? PAGES_FOLDER : undefined,
    customSiteTitle: 'Crawlway API',
    jsonDocumentUrl: 'docs/openapi.json',
    yamlDocumentUrl: 'docs/openapi.yaml',
    swaggerOptions: { persistAuthorization: false, displayRequestDuration: true, validatorUrl: null },
  });
}
