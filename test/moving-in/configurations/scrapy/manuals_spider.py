from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class ManualsSpider(CrawlSpider):
    name = 'manuals'
    allowed_domains = ['127.0.0.1']
    start_urls = ['SITE/']
    rules = (
        Rule(LinkExtractor(deny=(r'/private/', r'\.zip$')), callback='parse_item', follow=True),
    )

    def parse_item(self, response):
        yield {'title': response.css('title::text').get(), 'url': response.url}
