import { ApiParam } from '@nestjs/swagger';

/** The path parameter that most calls begin with. */
export const CrawlerName = (): MethodDecorator =>
  ApiParam({ name: 'crawler', type: String, description: 'Name of the crawler in the configuration.' });
