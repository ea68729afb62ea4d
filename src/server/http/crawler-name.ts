import { ApiParam } from '@nestjs/swagger';

/** The first path parameter of most calls. */
export const CrawlerName = (): MethodDecorator =>
  ApiParam({ name: 'crawler', type: String, description: 'Name of the crawler in the configuration.' });
