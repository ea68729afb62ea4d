# Scrapy settings for the manuals project
BOT_NAME = 'manuals'
SPIDER_MODULES = ['manuals.spiders']
USER_AGENT = 'manuals-crawler (+https://www.example.com/contact)'
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 8
DOWNLOAD_DELAY = 0.2
DEPTH_LIMIT = 6
