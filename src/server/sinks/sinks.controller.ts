import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { EngineApi } from '../../engine/engine-api.js';
import { Audited, ChangeNote } from '../audit/change-note.js';
import { CrawlerFilter, IsFlag, IsText } from '../http/fields.js';
import { Operation } from '../http/operation.js';
import type { Page } from '../http/paging.js';
import { PageResponse } from '../http/paging.js';
import { ProblemException } from '../http/problem.js';
import type { Answer } from '../http/schema.js';
import { API, ENGINE, SEARCH_PAGE, TEST_SINK } from '../tokens.js';
import { adoptionSchema, backfillSchema, reconciliationSchema, sinkSchema, switchSchema } from './sink.schema.js';
import { type SinkTest, type SinkTester, sinkTestSchema } from './sink-test.js';

class ReconcileQuery {
  @IsFlag({ default: false, description: 'Send orders to fix the differences.' })
  repair?: boolean;
}

class PushAgainQuery {
  @CrawlerFilter('Only the documents of this crawler.')
  crawler?: string;
}

class AdoptQuery {
  @IsText({
    required: false,
    default: 'url',
    description: "The field with the URL of the other program's documents.",
    maxLength: 200,
  })
  field?: string;
}

class SwitchQuery {
  @IsFlag({ default: false, description: 'Move the alias back to where it was before.' })
  rollback?: boolean;

  @IsFlag({ default: false, description: 'Move the alias without a comparison.' })
  force?: boolean;
}

type SinkAnswer = Answer<typeof sinkSchema>;

/** Messages of a sink name its address and documents of others. */
const limitSinks = (sinks: readonly SinkAnswer[], ownCrawlers: ReadonlySet<string>): SinkAnswer[] =>
  sinks
    .map(({ message: _, warning: __, lastRefusal: ___, connector: ____, ...sink }) => ({
      ...sink,
      crawlers: sink.crawlers.filter((crawler) => ownCrawlers.has(crawler)),
      backfills: sink.backfills.filter(({ crawler }) => ownCrawlers.has(crawler)),
      behind: sink.behind.filter(({ crawler }) => ownCrawlers.has(crawler)),
    }))
    .filter(({ crawlers }) => crawlers.length > 0);

@Controller(`${API}/sinks`)
export class SinksController {
  constructor(
    @Inject(ENGINE) private readonly engine: EngineApi,
    @Inject(SEARCH_PAGE) private readonly searchPage: string,
    @Inject(TEST_SINK) private readonly testSink: SinkTester,
  ) {}

  @Get()
  @Operation({
    id: 'listSinks',
    summary: 'Destinations of push orders',
    description:
      'State of each sink and the orders on the way to it. A caller whose role is limited to crawlers gets their sinks without messages.',
    role: 'read',
    crawlers: 'handler',
  })
  @PageResponse(sinkSchema)
  async list(@Req() { crawlers: ownCrawlers }: FastifyRequest): Promise<Page<SinkAnswer>> {
    const { sinks, crawlers } = this.engine.definition;
    const findSearchPage = (name: string): string | undefined => {
      const url = sinks.find((sink) => sink.name === name)?.url;
      return url && this.searchPage.startsWith(`${URL.parse(url)?.origin}/`) ? this.searchPage : undefined;
    };
    const findCrawlersUsing = (name: string): string[] =>
      crawlers.filter(({ pushTo }) => pushTo.includes(name)).map((crawler) => crawler.name);
    const { engine } = this;
    const [views, allBackfills, allOwedCounts, refusedCounts] = await Promise.all([
      engine.listAllSinks(),
      engine.backfills.list(),
      engine.orders.countOwed(),
      engine.orders.countRefused(),
    ]);
    const items = views.map((view) => {
      const { name } = view;
      return sinkSchema.from({
        ...view,
        crawlers: findCrawlersUsing(name),
        backfills: allBackfills.filter(({ sink }) => sink === name),
        behind: allOwedCounts.filter(({ sink }) => sink === name),
        lacking: refusedCounts.get(name) ?? 0,
        searchPage: findSearchPage(name),
      });
    });
    return { items: ownCrawlers ? limitSinks(items, ownCrawlers) : items, next: null };
  }

  @Post(':sink/push-again')
  @HttpCode(202)
  @Operation({
    id: 'pushAgain',
    summary: 'Send everything that is indexed to a sink',
    description:
      'Runs in the background: documents come from another sink of the crawler that returns them (file, Elasticsearch, OpenSearch, Solr, PostgreSQL), or else from unconditional visits. `backfills` of the sink shows the progress. A sink that is added to a crawler is filled automatically.',
    role: 'operate',
    problems: {
      404: 'There is no sink with that name.',
      422: 'The given crawler does not push to the sink, or no crawler does.',
    },
  })
  @ApiAcceptedResponse({ schema: { type: 'array', items: backfillSchema.ref } })
  async pushAgain(
    @Param('sink') sink: string,
    @Query() { crawler }: PushAgainQuery,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof backfillSchema>[]> {
    const backfills = await this.engine.backfills.pushAgain(sink, crawler);
    note.recordChange(undefined, { documents: backfills.reduce((sum, { total }) => sum + total, 0) });
    return backfills.map(backfillSchema.from);
  }

  @Post(':sink/test')
  @Operation({
    id: 'testSink',
    summary: 'Test whether a sink responds',
    description:
      "Tests address, certificate and credentials without sending an order; the response contains the sink's message.",
    role: 'operate',
    problems: { 404: 'There is no sink with that name.' },
  })
  @ApiOkResponse({ schema: sinkTestSchema.ref })
  async tryOut(@Param('sink') name: string): Promise<SinkTest> {
    const sink = this.engine.definition.sinks.find((candidate) => candidate.name === name);
    if (!sink) throw new ProblemException('not-found', `There is no sink ${name}.`);
    return this.testSink(sink);
  }

  @Post(':sink/adopt')
  @Operation({
    id: 'adoptDocuments',
    summary: "Take over another program's documents",
    description:
      'For sinks that can list what they hold: has the pages of documents crawled that another program has put there. Each document is replaced by the first visit if its id is its URL (Push API, Solr, PostgreSQL), and otherwise removed once the sink has its own (Elasticsearch, OpenSearch). Documents outside the crawl space are kept. Repeat it until nothing waits.',
    role: 'operate',
    problems: {
      404: 'There is no sink with that name.',
      422: 'The sink cannot list what it holds.',
      503: 'The sink or the database is currently unavailable. What was taken over stays so.',
    },
  })
  @ApiOkResponse({ schema: adoptionSchema.ref })
  async adopt(
    @Param('sink') sink: string,
    @Query() { field = 'url' }: AdoptQuery,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof adoptionSchema>> {
    const report = await this.engine.sinkAdoption.run(sink, field);
    note.recordChange({ found: report.found }, { replaced: report.replaced, waiting: report.waiting });
    return adoptionSchema.from(report);
  }

  @Post(':sink/switch')
  @Operation({
    id: 'switchSink',
    summary: 'Move the alias of a sink to its index',
    description:
      'For an index that was filled beside the one that serves searches under `alias`: compares it with the store, and moves the alias in one step if nothing is missing or out of date.',
    role: 'operate',
    problems: {
      404: 'There is no sink with that name.',
      409: 'The mapping of the index refuses documents, or they cannot be compared.',
      422: 'The sink has no alias, is still being filled, lacks documents, or the alias is there already.',
      503: 'The sink or the database is currently unavailable.',
    },
  })
  @ApiOkResponse({ schema: switchSchema.ref })
  async switchAlias(
    @Param('sink') sink: string,
    @Query() options: SwitchQuery,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof switchSchema>> {
    const report = await this.engine.sinkSwitch.run(sink, options);
    note.recordChange({ indexes: report.from.join(', ') }, { indexes: report.to.join(', ') });
    return switchSchema.from(report);
  }

  @Post(':sink/reconcile')
  @Operation({
    id: 'reconcileSink',
    summary: 'Compare a sink with the store',
    description:
      'Lists what the sink holds, and reports what is missing, extra or stale there; repairs the differences on request.',
    role: 'operate',
    problems: {
      404: 'There is no sink with that name.',
      409: 'What the sink writes to has a mapping with which documents cannot be compared.',
      422: 'The sink cannot list what it holds.',
      503: 'The sink or the database is currently unavailable. Differences that were already repaired stay repaired.',
    },
  })
  @ApiOkResponse({ schema: reconciliationSchema.ref })
  async reconcile(
    @Param('sink') sink: string,
    @Query() { repair = false }: ReconcileQuery,
    @Audited() note: ChangeNote,
  ): Promise<Answer<typeof reconciliationSchema>> {
    const report = await this.engine.reconciliation.run(sink, repair);
    note.recordChange(
      { missing: report.missing.count, extra: report.extra.count, stale: report.stale.count },
      { repaired: report.repaired },
    );
    return reconciliationSchema.from(report);
  }
}
