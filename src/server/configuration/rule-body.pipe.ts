import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { createValidationPipe } from '../http/validation.js';
import type { RuleInput } from './configuration-format.js';
import { RuleInputDto } from './rule.dto.js';

/** Accepts a rule as JSON or as one Rule element. */
@Injectable()
export class RuleBodyPipe implements PipeTransform<unknown, Promise<RuleInput>> {
  private readonly validation = createValidationPipe();

  async transform(body: unknown, metadata: ArgumentMetadata): Promise<RuleInput> {
    if (typeof body === 'string') return { xml: body };
    const rule: RuleInputDto = await this.validation.transform(body ?? {}, { ...metadata, metatype: RuleInputDto });
    const { group, key, xml, match = [], actions = [] } = rule;
    return xml === undefined ? { group, key, match, actions } : { group, key, xml };
  }
}
