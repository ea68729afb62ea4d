import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import { IfGiven, IsText } from '../http/fields.js';
import { requireText } from '../http/line-slices.js';
import { ProblemException } from '../http/problem.js';
import { createValidationPipe, toPointer } from '../http/validation.js';
import type { ConfigurationDraft } from './configuration-draft.js';

export const XML_EXAMPLE =
  '<CrawlConfig xmlns="exa:com.exalead.mercury.mami.crawl.v20"><Crawler name="docs"/></CrawlConfig>';

export class ConfigurationDraftDto {
  @IsText({ required: false, description: 'CrawlConfig.xml. Absent: the one in force.', example: XML_EXAMPLE })
  xml?: string;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'New contents of rule files that the configuration names, by name; the other files are unchanged.',
    example: { 'crawl.rules': 'allow domain example.com' },
  })
  @IfGiven()
  @IsObject()
  files?: Readonly<Record<string, string>>;
}

/** Accepts a configuration as CrawlConfig.xml alone, or as JSON with rule files. */
@Injectable()
export class DraftBodyPipe implements PipeTransform<unknown, Promise<ConfigurationDraft>> {
  private readonly validation = createValidationPipe();

  async transform(body: unknown, metadata: ArgumentMetadata): Promise<ConfigurationDraft> {
    if (typeof body !== 'object' || body === null) return { xml: requireText(body), files: new Map() };
    const draft: ConfigurationDraftDto = await this.validation.transform(body, {
      ...metadata,
      metatype: ConfigurationDraftDto,
    });
    if (draft.xml === undefined && draft.files === undefined) {
      throw new ProblemException(
        'invalid-request',
        'The body has neither xml nor files: send a configuration, rule files, or both.',
      );
    }
    const files = Object.entries(draft.files ?? {});
    const invalidFile = files.find(([, text]) => typeof text !== 'string');
    if (invalidFile) {
      throw new ProblemException('invalid-request', `The content of the file ${invalidFile[0]} is not a string.`, {
        errors: [{ pointer: toPointer('/files/', invalidFile[0]), detail: 'the content of a file must be a string' }],
      });
    }
    return { ...(draft.xml === undefined ? {} : { xml: draft.xml }), files: new Map(files) };
  }
}
