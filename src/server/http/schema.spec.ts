import { afterAll, describe, expect, it } from 'vitest';
import { type Duration, type Instant, instant, NEVER, seconds as secondsLong } from '../../domain/time/units.js';
import { boolean, integer, listOf, one, ownSchema, SCHEMAS, schema, seconds, text, time } from './schema.js';

interface Visit {
  readonly at: Instant;
  readonly took?: Duration;
  readonly secret: string;
}

const visitSchema = schema<Visit>()('SpecVisit', {
  at: time('When it began.'),
  seconds: seconds(0.5).optional().from('took'),
  slow: boolean().by(({ took }: Visit) => took !== undefined && took > 1_000),
});

const pageSchema = schema<{ readonly title?: string; readonly last?: Visit; readonly visits: readonly Visit[] }>()(
  'SpecPage',
  { title: text('Start').optional(), last: one(visitSchema).optional(), visits: listOf(visitSchema, 'Newest first.') },
);

const VISIT = { at: instant(0), took: secondsLong(2), secret: 'never shown' };

// The API description of the same process must not contain them.
afterAll(() => {
  for (const { name } of [visitSchema, pageSchema]) SCHEMAS.delete(name);
});

describe('a schema', () => {
  it('writes what it names, in the units of the API, and nothing else', () => {
    expect(visitSchema.from(VISIT)).toStrictEqual({ at: '1970-01-01T00:00:00.000Z', seconds: 2, slow: true });
  });

  it('writes the answers inside an answer, and leaves out what is absent', () => {
    const answer = pageSchema.from({ visits: [VISIT, { ...VISIT, took: undefined }] });
    expect(JSON.parse(JSON.stringify(answer))).toEqual({
      visits: [
        { at: '1970-01-01T00:00:00.000Z', seconds: 2, slow: true },
        { at: '1970-01-01T00:00:00.000Z', slow: false },
      ],
    });
  });

  it('writes no time for one that never comes', () => {
    expect(visitSchema.from({ ...VISIT, at: NEVER }).at).toBeUndefined();
  });

  it('describes each field with its meaning and example, and requires those that are not optional', () => {
    expect(visitSchema.json).toEqual({
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time', description: 'When it began.', example: '2026-03-02T08:15:30.000Z' },
        seconds: { type: 'number', example: 0.5 },
        slow: { type: 'boolean' },
      },
      required: ['at', 'slow'],
    });
    expect(pageSchema.json['properties']).toMatchObject({
      last: { $ref: '#/components/schemas/SpecVisit' },
      visits: { type: 'array', items: { $ref: '#/components/schemas/SpecVisit' }, description: 'Newest first.' },
    });
  });

  it('has a name of its own', () => {
    expect(() => ownSchema('SpecVisit', { count: integer(1) })).toThrow('two schemas named SpecVisit');
  });
});
