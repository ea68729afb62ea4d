import { describe, expect, it } from 'vitest';
import { findChallengeHeader, findChallengePage } from './bot-challenges.js';

const find = (page: string): string | undefined => findChallengePage(Buffer.from(page));
const SHORT_TEXT = '<h1>a.test</h1><p>Enable JavaScript and cookies to continue</p>';

const INTERSTITIALS: readonly (readonly [product: string, markup: string])[] = [
  ['Cloudflare', "<script nonce=\"x\">(function(){window._cf_chl_opt = {cvId: '3',cZone: 'a.test'};}());</script>"],
  ['Cloudflare', '<script>\nwindow._cf_chl_opt={cvId:"2"}</script>'],
  ['Cloudflare', '<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=1"></script>'],
  ['Cloudflare', '<form id="challenge-form" action="/page?__cf_chl_f_tk=abc" method="POST"></form>'],
  ['Cloudflare', '<form action="/cdn-cgi/l/chk_captcha?__x=1" method="get"></form>'],
  [
    'AWS WAF',
    '<script type="text/javascript">window.awsWafCookieDomainList = []; window.gokuProps = {"key":"x"};</script>',
  ],
  ['DataDome', "<script>var dd={'rt':'c'}</script><script src='https://ct.captcha-delivery.com/c.js'></script>"],
  ['DataDome', '<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=A"></iframe>'],
  ['Imperva', '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1"></iframe>'],
  ['Akamai', '<script src="/_sec/cp_challenge/ak-challenge-4-3.htm"></script>'],
  ['Akamai', '<meta http-equiv="refresh" content="5; URL=\'/a?bm-verify=AAQAAAAJ\'" />'],
  ['Alibaba Cloud', `<script>\nvar arg1='${'A1'.repeat(20)}';setCookie("acw_sc__v2",arg2);</script>`],
  ['Imunify360', '<form id="wsidchk-form" action="/z0f76a1d1" method="GET"><input type="hidden" id="wsidchk"/></form>'],
  ['Imperva', '<meta http-equiv="refresh" content="10; url=/distil_r_captcha.html?requestId=1">'],
  ['StackPath', '<iframe src="/sbbi/?sbbpg=sbbShell&gprid=1"></iframe>'],
  ['go-away', '<script src="/.well-known/.git.gammaspectra.live/git/go-away/cmd/challenge/js/x.mjs"></script>'],
  ['HUMAN', '<div id="px-captcha"></div>'],
  ['HUMAN', '<script src=//captcha.px-cloud.net/PX1/captcha.js></script>'],
  [
    'Kasada',
    '<script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?x"></script>',
  ],
  ['Sucuri', "<script>sucuri_cloudproxy_js='';S='abc';</script>"],
  ['DDoS-Guard', '<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>'],
  ['Anubis', '<script type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs?v=1"></script>'],
  ['SiteGround', '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F">'],
  ['Fastly', '<script src="/_fs-ch-1T1wmsGaOgGaSxcX/script.js"></script>'],
  ['Radware', '<form action="https://validate.perfdrive.com/captcha?x=1"></form>'],
  ['Qrator', '<script src="/__qrator/qauth_utm.js"></script>'],
  ['F5', '<script type="text/javascript" src="/TSPD/08a?type=10"></script>'],
];

describe('a challenge', () => {
  it.each([
    [{ 'cf-mitigated': 'challenge' }, 'Cloudflare'],
    [{ 'x-amzn-waf-action': 'captcha' }, 'AWS WAF'],
    [{ 'x-amzn-waf-action': 'challenge' }, 'AWS WAF'],
    [{ 'x-vercel-mitigated': 'challenge' }, 'Vercel'],
    [{ 'sg-captcha': 'challenge' }, 'SiteGround'],
    [{ 'x-vercel-mitigated': 'deny', 'cf-ray': '1' }, undefined],
    [{}, undefined],
  ])('is recognized by its header: %j', (headers, product) =>
    expect(findChallengeHeader(headers as Record<string, string>)).toBe(product),
  );

  it.each(INTERSTITIALS)('of %s is recognized by its markup: %s', (product, markup) => {
    expect(find(`<!DOCTYPE html><html><head><title>x</title></head><body>${SHORT_TEXT}${markup}</body></html>`)).toBe(
      product,
    );
    expect(find(markup)).toBe(product);
  });
});

describe('a page about challenges is a page', () => {
  const toText = (markup: string): string => markup.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  it.each(INTERSTITIALS)('that quotes the markup of %s: %s', (_, markup) => {
    for (const quote of [
      `<pre>${toText(markup)}</pre>`,
      `<p><code>${toText(markup)}</code></p>`,
      `<textarea>${markup}</textarea>`,
      `<!-- ${markup} -->`,
      `<template>${markup}</template>`,
      `<script type="application/json">${JSON.stringify(markup).replaceAll('</', '<\\/')}</script>`,
      `<script>pages.push(${JSON.stringify(markup).replaceAll('</', '<\\/')})</script>`,
      `<title>${toText(markup)}</title>`,
    ])
      expect(find(`<html><body><h1>Notes</h1>${quote}</body></html>`), quote).toBeUndefined();
  });

  it.each(INTERSTITIALS)('that has a text of its own and is protected by %s: %s', (_, markup) =>
    expect(find(`<html><body>${'<p>A long article.</p>'.repeat(200)}${markup}</body></html>`)).toBeUndefined(),
  );

  it.each([
    ['Cloudflare', '<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>'],
    ['DataDome', '<script src="https://js.datadome.co/tags.js"></script>'],
    ['AWS WAF', '<script src="https://a.token.awswaf.com/a/challenge.js" defer></script>'],
    ['Imperva', `<p>${'A short page. '.repeat(20)}</p><script src="/_Incapsula_Resource?SWJIYLWA=7"></script>`],
    ['F5', `<p>${'A short page. '.repeat(20)}</p><script src="/TSPD/08a?type=9"></script>`],
  ])('that only has the script by which %s watches visitors', (_, page) => expect(find(page)).toBeUndefined());

  it('that contains the text of a challenge as data', () =>
    expect(find('<script type="application/json">window._cf_chl_opt={"a":1}</script>')).toBeUndefined());

  it('that is larger than any challenge', () =>
    expect(find(INTERSTITIALS[0]![1] + ' '.repeat(65_536))).toBeUndefined());
});

it('a hostile page is searched in linear time', () => {
  for (const part of ['<!--', '<script ', '<script>', '<textarea', '<form src="', '<title>', '</', '<'])
    expect(find(`window._cf_chl_opt=${part.repeat(60_000 / part.length)}`)).toBeUndefined();
});
