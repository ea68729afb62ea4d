import { ApiProperty } from '@nestjs/swagger';

class WebhookMetaDto {
  @ApiProperty()
  name!: string;

  @ApiProperty()
  value!: string;

  @ApiProperty({
    enum: ['date', 'number'],
    required: false,
    description: 'Type of the value: a date (ISO 8601, UTC) or a number. Absent: a string.',
  })
  type?: string;
}

class WebhookHeadingDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 6 })
  level!: number;

  @ApiProperty()
  text!: string;

  @ApiProperty({ type: 'integer', description: 'Offset in the text, in UTF-16 units.' })
  start!: number;
}

class WebhookChunkDto {
  @ApiProperty()
  text!: string;

  @ApiProperty({ type: [String], description: 'The headings above the chunk, outermost first.' })
  path!: string[];

  @ApiProperty({ type: 'integer', description: 'Offset in the text, in UTF-16 units.' })
  start!: number;

  @ApiProperty({ type: 'integer', description: 'Offset after the last character.' })
  end!: number;
}

class WebhookPartDto {
  @ApiProperty({ format: 'byte', description: 'The bytes in Base64.' })
  bytes!: string;

  @ApiProperty()
  mimeType!: string;

  @ApiProperty({ required: false, description: 'Charset of the text.' })
  encoding?: string;

  @ApiProperty()
  fileName!: string;
}

class WebhookDocumentDto {
  @ApiProperty({ description: 'Digest of the content: the same stamp means the same document.' })
  stamp!: string;

  @ApiProperty({ type: () => [WebhookMetaDto], description: 'Names may repeat.' })
  metas!: WebhookMetaDto[];

  @ApiProperty({ type: () => WebhookPartDto })
  master!: WebhookPartDto;

  @ApiProperty({ description: 'Extracted text.' })
  text!: string;

  @ApiProperty({ type: () => [WebhookHeadingDto], required: false, description: 'Present with `cw:Output headings`.' })
  headings?: WebhookHeadingDto[];

  @ApiProperty({ required: false, description: 'Present with `cw:Output markdown`.' })
  markdown?: string;

  @ApiProperty({ type: () => [WebhookChunkDto], required: false, description: 'Present with `cw:Output chunks`.' })
  chunks?: WebhookChunkDto[];
}

class WebhookOrderDto {
  @ApiProperty({ enum: ['add', 'delete'] })
  kind!: string;

  @ApiProperty({ type: 'integer', description: 'An order that was decided later has a higher number.' })
  id!: number;

  @ApiProperty()
  crawler!: string;

  @ApiProperty({ description: 'Canonical URL.' })
  uri!: string;

  @ApiProperty({ description: 'Why the order was decided: a reason code or error code.' })
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  decidedAt!: string;

  @ApiProperty({ required: false, type: () => WebhookDocumentDto, description: 'Only for `add`.' })
  document?: WebhookDocumentDto;
}

/** What a sink of type `json` receives. */
export class OrderBatchDto {
  @ApiProperty({ type: () => [WebhookOrderDto], description: 'Orders, in the sequence in which they were decided.' })
  orders!: WebhookOrderDto[];
}
