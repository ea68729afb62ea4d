import { ApiProperty } from '@nestjs/swagger';
import { IsObject, IsString } from 'class-validator';
import { RULE_FILE_KINDS, type RuleFileKind } from '../../domain/crawl/rule-file.js';
import { IfGiven } from '../http/fields.js';
import type { RuleFile } from './configuration-file.js';

export class RuleTextDto {
  @ApiProperty({ description: 'Name as in the configuration, relative to its folder.' })
  name!: string;

  @ApiProperty()
  text!: string;
}

export class RuleFileDto extends RuleTextDto {
  @ApiProperty({ enum: RULE_FILE_KINDS })
  kind!: RuleFileKind;
}

export const toRuleFileDto = ({ name, kind, text }: RuleFile): RuleFileDto => ({ name, kind, text });

export class ConfigurationDraftDto {
  @ApiProperty({ required: false, description: 'CrawlConfig.xml. Absent: the one in force.' })
  @IfGiven()
  @IsString()
  xml?: string;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'New contents of rule files that the configuration names, by name; the other files are unchanged.',
  })
  @IfGiven()
  @IsObject()
  files?: Readonly<Record<string, string>>;
}
