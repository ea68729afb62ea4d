import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { ProblemException } from '../http/problem.js';
import { requireText } from '../http/text-body.js';
import { createValidationPipe, toPointer } from '../http/validation.js';
import type { ConfigurationDraft } from './configuration-draft.js';
import { ConfigurationDraftDto } from './rule-file.dto.js';

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
