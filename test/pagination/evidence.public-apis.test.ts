import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, crawl, rows } from "./crawl.ts";

/*
 * Small answers in the form of well-known public APIs, with the address of their documentation. A complete result must be
 * complete without a warning. A result that was cut must be suspect, unless the API gives no sign of it.
 */

interface Shape {
  readonly api: string;
  readonly documented: string;
  readonly dataField?: string;
  /** Returns the body of the last page. `items`: its records. */
  readonly last: (items: unknown) => unknown;
  /** Returns the body of a page before the last one. */
  readonly cut: (items: unknown) => unknown;
  readonly lastHeaders?: Record<string, string>;
  readonly cutHeaders?: Record<string, string>;
  /** The place that the message names; undefined if the API gives no sign. */
  readonly names: string | undefined;
}

const list = (items: unknown): unknown => items;
const url = "https://api.example.com/items?page=2";

const shapes: readonly Shape[] = [
  {
    api: "GitHub (lists)",
    documented: "https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api",
    last: list,
    cut: list,
    lastHeaders: { Link: `<${url}>; rel="prev", <${url}>; rel="first"` },
    cutHeaders: { Link: `<${url}>; rel="next", <${url}>; rel="last"` },
    names: "the header Link",
  },
  {
    api: "GitHub (search)",
    documented: "https://docs.github.com/en/rest/search/search",
    last: (items) => ({ total_count: 3, incomplete_results: false, items }),
    cut: (items) => ({ total_count: 3, incomplete_results: true, items }),
    names: "incomplete_results",
  },
  {
    api: "Stripe",
    documented: "https://docs.stripe.com/api/pagination",
    last: (data) => ({ object: "list", url: "/v1/charges", has_more: false, data }),
    cut: (data) => ({ object: "list", url: "/v1/charges", has_more: true, data }),
    names: "has_more",
  },
  {
    api: "Slack",
    documented: "https://api.slack.com/apis/pagination",
    last: (members) => ({ ok: true, members, response_metadata: { next_cursor: "" } }),
    cut: (members) => ({ ok: true, members, response_metadata: { next_cursor: "dGVhbTpDMDYx" } }),
    names: "response_metadata.next_cursor",
  },
  {
    api: "Shopify (REST)",
    documented: "https://shopify.dev/docs/api/admin-rest/usage/pagination",
    last: (products) => ({ products }),
    cut: (products) => ({ products }),
    lastHeaders: { Link: `<${url}>; rel="previous"` },
    cutHeaders: { Link: `<${url}>; rel="previous", <${url}>; rel="next"` },
    names: "the header Link",
  },
  {
    api: "Shopify (GraphQL)",
    documented: "https://shopify.dev/docs/api/usage/pagination-graphql",
    dataField: "data.orders.nodes",
    last: (nodes) => ({ data: { orders: { nodes, pageInfo: { hasNextPage: false, endCursor: "ey==" } } } }),
    cut: (nodes) => ({ data: { orders: { nodes, pageInfo: { hasNextPage: true, endCursor: "ey==" } } } }),
    names: "data.orders.pageInfo.hasNextPage",
  },
  {
    api: "HubSpot",
    documented: "https://developers.hubspot.com/docs/api/usage-details",
    last: (results) => ({ results }),
    cut: (results) => ({ results, paging: { next: { after: "NTI1Cg%3D%3D", link: "?after=NTI1Cg%3D%3D" } } }),
    names: "paging.next",
  },
  {
    api: "Salesforce",
    documented: "https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm",
    last: (records) => ({ totalSize: 3, done: true, records }),
    cut: (records) => ({
      totalSize: 3500,
      done: false,
      nextRecordsUrl: "/services/data/v60.0/query/01g-2000",
      records,
    }),
    names: "totalSize",
  },
  {
    api: "Microsoft Graph (OData)",
    documented: "https://learn.microsoft.com/en-us/graph/paging",
    last: (value) => ({ "@odata.context": "https://graph.example.com/$metadata#users", "@odata.count": 3, value }),
    cut: (value) => ({ "@odata.nextLink": "https://graph.example.com/users?$skiptoken=x", value }),
    names: "@odata.nextLink",
  },
  {
    api: "Azure Resource Manager",
    documented: "https://learn.microsoft.com/en-us/rest/api/azure/",
    last: (value) => ({ value, nextLink: null }),
    cut: (value) => ({ value, nextLink: "https://management.example.com/x?$skiptoken=x" }),
    names: "nextLink",
  },
  {
    api: "Elasticsearch",
    documented: "https://www.elastic.co/guide/en/elasticsearch/reference/current/search-your-data.html",
    dataField: "hits.hits",
    last: (hits) => ({
      took: 5,
      timed_out: false,
      _shards: { total: 5, successful: 5, skipped: 0, failed: 0 },
      hits: { total: { value: 3, relation: "eq" }, max_score: 1.3, hits },
    }),
    cut: (hits) => ({ _shards: { total: 5 }, hits: { total: { value: 10000, relation: "gte" }, hits } }),
    names: "hits.total",
  },
  {
    api: "MediaWiki",
    documented: "https://www.mediawiki.org/wiki/API:Continue",
    dataField: "query.allpages",
    last: (allpages) => ({ batchcomplete: "", query: { allpages } }),
    cut: (allpages) => ({ continue: { apcontinue: "Page_B", continue: "-||" }, query: { allpages } }),
    names: "continue",
  },
  {
    api: "WordPress",
    documented: "https://developer.wordpress.org/rest-api/using-the-rest-api/pagination/",
    last: list,
    cut: list,
    lastHeaders: { "X-WP-Total": "3", "X-WP-TotalPages": "1" },
    cutHeaders: { "X-WP-Total": "95", "X-WP-TotalPages": "10" },
    names: "the header X-WP-Total",
  },
  {
    api: "Jira (startAt)",
    documented: "https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#pagination",
    last: (values) => ({ startAt: 0, maxResults: 50, total: 3, isLast: true, values }),
    cut: (values) => ({ startAt: 0, maxResults: 3, total: 95, isLast: false, values }),
    names: "total",
  },
  {
    api: "Notion",
    documented: "https://developers.notion.com/reference/intro#pagination",
    last: (results) => ({ object: "list", results, next_cursor: null, has_more: false, type: "page", page: {} }),
    cut: (results) => ({ object: "list", results, next_cursor: "33e19cb9", has_more: true }),
    names: "next_cursor",
  },
  {
    api: "Zendesk (offset)",
    documented: "https://developer.zendesk.com/api-reference/introduction/pagination/",
    last: (tickets) => ({ tickets, next_page: null, previous_page: url, count: 3 }),
    cut: (tickets) => ({ tickets, next_page: url, previous_page: null, count: 95 }),
    names: "count",
  },
  {
    api: "Zendesk (cursor)",
    documented:
      "https://developer.zendesk.com/documentation/api-basics/pagination/paginating-through-lists-using-cursor-pagination/",
    dataField: "tickets",
    last: (tickets) => ({ tickets, meta: { has_more: false, after_cursor: "xx" }, links: { prev: null, next: url } }),
    cut: (tickets) => ({ tickets, meta: { has_more: true, after_cursor: "xx" }, links: { prev: null, next: url } }),
    names: "has_more",
  },
  {
    api: "Intercom",
    documented: "https://developers.intercom.com/docs/build-an-integration/learn-more/rest-apis/pagination-cursor",
    last: (data) => ({
      type: "list",
      data,
      total_count: 3,
      pages: { type: "pages", page: 1, per_page: 50, total_pages: 1 },
    }),
    cut: (data) => ({
      type: "list",
      data,
      pages: { type: "pages", next: { page: 2, starting_after: "WzE3" }, page: 1, per_page: 3, total_pages: 25 },
    }),
    names: "pages.total_pages",
  },
  {
    api: "GitLab",
    documented: "https://docs.gitlab.com/ee/api/rest/#pagination",
    last: list,
    cut: list,
    lastHeaders: { "X-Total": "3", "X-Total-Pages": "1", "X-Page": "1", "X-Next-Page": "", "X-Prev-Page": "" },
    cutHeaders: { "X-Page": "1", "X-Next-Page": "2" },
    names: "the header X-Next-Page",
  },
  {
    api: "Bitbucket",
    documented: "https://developer.atlassian.com/cloud/bitbucket/rest/intro/#pagination",
    last: (values) => ({ size: 3, page: 1, pagelen: 10, values }),
    cut: (values) => ({ size: 95, page: 1, pagelen: 3, next: url, values }),
    names: "next",
  },
  {
    api: "Discourse",
    documented: "https://docs.discourse.org/",
    dataField: "topic_list.topics",
    last: (topics) => ({ topic_list: { can_create_topic: true, per_page: 30, topics } }),
    cut: (topics) => ({ topic_list: { more_topics_url: "/latest?page=1", per_page: 3, topics } }),
    names: "topic_list.more_topics_url",
  },
  {
    api: "Spring Data (Page)",
    documented: "https://docs.spring.io/spring-data/commons/docs/current/api/org/springframework/data/domain/Page.html",
    dataField: "content",
    last: (content) => ({
      content,
      last: true,
      first: true,
      totalElements: 3,
      totalPages: 1,
      size: 20,
      number: 0,
      numberOfElements: 3,
    }),
    cut: (content) => ({ content, last: false, first: true, totalElements: 95, totalPages: 32, size: 3, number: 0 }),
    names: "totalElements",
  },
  {
    api: "Spring Data REST (HAL)",
    documented: "https://docs.spring.io/spring-data/rest/reference/paging-and-sorting.html",
    dataField: "_embedded.people",
    last: (people) => ({
      _embedded: { people },
      _links: { self: { href: url } },
      page: { size: 20, totalElements: 3, totalPages: 1, number: 0 },
    }),
    cut: (people) => ({ _embedded: { people }, _links: { self: { href: url }, next: { href: url } } }),
    names: "_links.next.href",
  },
  {
    api: "Laravel (resources)",
    documented: "https://laravel.com/docs/eloquent-resources#pagination",
    last: (data) => ({
      data,
      links: { first: url, last: url, prev: null, next: null },
      meta: {
        current_page: 1,
        from: 1,
        last_page: 1,
        links: [{ url: null, label: "Next", active: false }],
        per_page: 15,
        to: 3,
        total: 3,
      },
    }),
    cut: (data) => ({
      data,
      links: { first: url, last: url, next: url },
      meta: { current_page: 1, last_page: 9, per_page: 3 },
    }),
    names: "meta.last_page",
  },
  {
    api: "Laravel (simple)",
    documented: "https://laravel.com/docs/pagination#converting-results-to-json",
    last: (data) => ({ current_page: 1, data, first_page_url: url, next_page_url: null, per_page: 15, to: 3 }),
    cut: (data) => ({ current_page: 1, data, first_page_url: url, next_page_url: url, per_page: 3, to: 3 }),
    names: "next_page_url",
  },
  {
    api: "Django REST framework",
    documented: "https://www.django-rest-framework.org/api-guide/pagination/",
    last: (results) => ({ count: 3, next: null, previous: null, results }),
    cut: (results) => ({ count: 95, next: url, previous: null, results }),
    names: "count",
  },
  {
    api: "JSON:API",
    documented: "https://jsonapi.org/format/#fetching-pagination",
    last: (data) => ({ data, links: { self: url, first: url, last: url, prev: null, next: null } }),
    cut: (data) => ({ data, links: { self: url, last: url, next: { href: url } } }),
    names: "links.next.href",
  },
  {
    api: "AWS (JSON protocols)",
    documented: "https://docs.aws.amazon.com/AWSJavaScriptSDK/v3/latest/",
    last: (Parameters) => ({ Parameters }),
    cut: (Parameters) => ({ Parameters, NextToken: "AAEA" }),
    names: "NextToken",
  },
  {
    api: "AWS DynamoDB",
    documented: "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html",
    last: (Items) => ({ Count: 3, ScannedCount: 3, Items }),
    cut: (Items) => ({ Count: 3, ScannedCount: 3, Items, LastEvaluatedKey: { id: { S: "x" } } }),
    names: "LastEvaluatedKey",
  },
  {
    api: "Google APIs",
    documented: "https://google.aip.dev/158",
    last: (files) => ({ kind: "drive#fileList", files, nextPageToken: "" }),
    cut: (files) => ({ kind: "drive#fileList", files, nextPageToken: "CAoQAA" }),
    names: "nextPageToken",
  },
  {
    api: "YouTube",
    documented: "https://developers.google.com/youtube/v3/docs/playlistItems/list",
    last: (items) => ({ items, pageInfo: { totalResults: 3, resultsPerPage: 5 } }),
    cut: (items) => ({ items, nextPageToken: "EAAa", pageInfo: { totalResults: 95, resultsPerPage: 3 } }),
    names: "pageInfo.totalResults",
  },
  {
    api: "X (Twitter)",
    documented: "https://docs.x.com/x-api/fundamentals/pagination",
    last: (data) => ({ data, meta: { result_count: 3, newest_id: "9", oldest_id: "1" } }),
    cut: (data) => ({ data, meta: { result_count: 3, next_token: "b26v89c19zqg8o3f" } }),
    names: "meta.next_token",
  },
  {
    api: "Reddit",
    documented: "https://www.reddit.com/dev/api/#listings",
    dataField: "data.children",
    last: (children) => ({ kind: "Listing", data: { after: null, before: null, dist: 3, children } }),
    cut: (children) => ({ kind: "Listing", data: { after: "t3_abc", before: null, dist: 3, children } }),
    names: "data.after",
  },
  {
    api: "Mailchimp",
    documented: "https://mailchimp.com/developer/marketing/docs/methods-parameters/#pagination",
    dataField: "members",
    last: (members) => ({ members, list_id: "x", total_items: 3, _links: [{ rel: "self", href: url, method: "GET" }] }),
    cut: (members) => ({ members, list_id: "x", total_items: 95, _links: [{ rel: "self", href: url, method: "GET" }] }),
    names: "total_items",
  },
  {
    api: "SendGrid",
    documented: "https://www.twilio.com/docs/sendgrid/api-reference/lists/get-all-lists",
    last: (result) => ({ result, _metadata: { self: url, count: 3 } }),
    cut: (result) => ({ result, _metadata: { self: url, next: url, count: 95 } }),
    names: "_metadata.count",
  },
  {
    api: "Twilio (2010)",
    documented: "https://www.twilio.com/docs/usage/twilios-response#response-formats-list-paging-information",
    last: (calls) => ({ calls, page: 0, page_size: 50, start: 0, end: 2, next_page_uri: null, uri: "/x.json" }),
    cut: (calls) => ({ calls, page: 0, page_size: 3, next_page_uri: "/x.json?Page=1", uri: "/x.json" }),
    names: "next_page_uri",
  },
  {
    api: "Twilio (newer)",
    documented: "https://www.twilio.com/docs/usage/twilios-response",
    last: (services) => ({ services, meta: { page: 0, page_size: 50, next_page_url: null, key: "services" } }),
    cut: (services) => ({ services, meta: { page: 0, page_size: 3, next_page_url: url, key: "services" } }),
    names: "meta.next_page_url",
  },
  {
    api: "Pipedrive",
    documented: "https://pipedrive.readme.io/docs/core-api-concepts-pagination",
    last: (data) => ({
      success: true,
      data,
      additional_data: { pagination: { start: 0, limit: 100, more_items_in_collection: false } },
    }),
    cut: (data) => ({
      success: true,
      data,
      additional_data: { pagination: { start: 0, limit: 3, more_items_in_collection: true, next_start: 3 } },
    }),
    names: "additional_data.pagination.more_items_in_collection",
  },
  {
    api: "Asana",
    documented: "https://developers.asana.com/docs/pagination",
    last: (data) => ({ data, next_page: null }),
    cut: (data) => ({ data, next_page: { offset: "eyJ0eXAi", path: "/tasks?offset=eyJ0eXAi", uri: url } }),
    names: "next_page.uri",
  },
  {
    api: "Trello",
    documented: "https://developer.atlassian.com/cloud/trello/guides/rest-api/api-introduction/",
    last: list,
    cut: list,
    names: undefined,
  },
  {
    api: "Airtable",
    documented: "https://airtable.com/developers/web/api/list-records",
    last: (records) => ({ records }),
    cut: (records) => ({ records, offset: "itrosopPlPPd6bIpF/recjepfmn8tKUPXOz" }),
    names: "offset",
  },
  {
    api: "Contentful",
    documented:
      "https://www.contentful.com/developers/docs/references/content-delivery-api/#/introduction/collection-resources-and-pagination",
    last: (items) => ({ sys: { type: "Array" }, total: 3, skip: 0, limit: 100, items }),
    cut: (items) => ({ sys: { type: "Array" }, total: 95, skip: 0, limit: 3, items }),
    names: "total",
  },
  {
    api: "PagerDuty",
    documented: "https://developer.pagerduty.com/docs/rest-api-v2/pagination/",
    last: (incidents) => ({ incidents, limit: 25, offset: 0, total: null, more: false }),
    cut: (incidents) => ({ incidents, limit: 3, offset: 0, total: null, more: true }),
    names: "more",
  },
  {
    api: "Datadog",
    documented: "https://docs.datadoghq.com/logs/guide/collect-multiple-logs-with-pagination/",
    last: (data) => ({ data, meta: { elapsed: 132, status: "done", page: {} } }),
    cut: (data) => ({ data, links: { next: url }, meta: { page: { after: "eyJhZnRlciI6" } } }),
    names: "links.next",
  },
  {
    api: "Okta",
    documented: "https://developer.okta.com/docs/reference/core-okta-api/#pagination",
    last: list,
    cut: list,
    lastHeaders: { link: `<${url}>; rel="self"` },
    cutHeaders: { link: `<${url}>; rel="self", <${url}>; rel="next"` },
    names: "the header Link",
  },
  {
    api: "Algolia",
    documented: "https://www.algolia.com/doc/api-reference/api-methods/search/",
    last: (hits) => ({ hits, nbHits: 3, page: 0, nbPages: 1, hitsPerPage: 20, processingTimeMS: 1 }),
    cut: (hits) => ({ hits, nbHits: 95, page: 0, nbPages: 32, hitsPerPage: 3 }),
    names: "nbHits",
  },
  {
    api: "CouchDB",
    documented: "https://docs.couchdb.org/en/stable/api/database/bulk-api.html",
    last: (items) => ({ total_rows: 3, offset: 0, rows: items }),
    cut: (items) => ({ total_rows: 95, offset: 0, rows: items }),
    names: "total_rows",
  },
  {
    api: "Solr",
    documented: "https://solr.apache.org/guide/solr/latest/query-guide/response-writers.html",
    dataField: "response.docs",
    last: (docs) => ({
      responseHeader: { status: 0, QTime: 1 },
      response: { numFound: 3, start: 0, numFoundExact: true, docs },
    }),
    cut: (docs) => ({ responseHeader: { status: 0 }, response: { numFound: 95, start: 0, docs } }),
    names: "response.numFound",
  },
  {
    api: "CKAN",
    documented: "https://docs.ckan.org/en/latest/api/#ckan.logic.action.get.package_search",
    dataField: "result.results",
    last: (results) => ({ help: url, success: true, result: { count: 3, sort: "score desc", facets: {}, results } }),
    cut: (results) => ({ help: url, success: true, result: { count: 95, sort: "score desc", facets: {}, results } }),
    names: "result.count",
  },
  {
    api: "Socrata",
    documented: "https://dev.socrata.com/docs/paging.html",
    last: list,
    cut: list,
    names: undefined,
  },
  {
    api: "Cloudflare",
    documented: "https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/",
    dataField: "result",
    last: (result) => ({
      success: true,
      errors: [],
      result,
      result_info: { page: 1, per_page: 20, count: 3, total_count: 3, total_pages: 1 },
    }),
    cut: (result) => ({
      success: true,
      errors: [],
      result,
      result_info: { page: 1, per_page: 3, count: 3, total_count: 95 },
    }),
    names: "result_info.total_count",
  },
  {
    api: "Directus",
    documented: "https://docs.directus.io/reference/query.html#metadata",
    last: (data) => ({ data, meta: { filter_count: 3, total_count: 8000 } }),
    cut: (data) => ({ data, meta: { filter_count: 95, total_count: 8000 } }),
    names: "meta.",
  },
  {
    api: "Facebook Graph",
    documented: "https://developers.facebook.com/docs/graph-api/results",
    last: (data) => ({ data, paging: { cursors: { before: "a", after: "b" }, previous: url } }),
    cut: (data) => ({ data, paging: { cursors: { before: "a", after: "b" }, next: url } }),
    names: "paging.next",
  },
  {
    api: "LinkedIn",
    documented: "https://learn.microsoft.com/en-us/linkedin/shared/api-guide/concepts/pagination",
    last: (elements) => ({ elements, paging: { count: 10, start: 0, links: [] } }),
    cut: (elements) => ({
      elements,
      paging: { count: 3, start: 0, links: [{ rel: "next", href: url, type: "application/json" }] },
    }),
    names: "paging.links",
  },
  {
    api: "Eventbrite",
    documented: "https://www.eventbrite.com/platform/docs/rate-limits",
    last: (events) => ({
      pagination: { object_count: 3, page_number: 1, page_size: 50, page_count: 1, has_more_items: false },
      events,
    }),
    cut: (events) => ({
      pagination: { object_count: 95, page_size: 3, has_more_items: true, continuation: "dGhpcyBpcyBh" },
      events,
    }),
    names: "pagination.",
  },
  {
    api: "Spotify",
    documented: "https://developer.spotify.com/documentation/web-api/concepts/api-calls",
    last: (items) => ({ href: url, items, limit: 20, next: null, offset: 0, previous: null, total: 3 }),
    cut: (items) => ({ href: url, items, limit: 3, next: url, offset: 0, previous: null, total: 95 }),
    names: "total",
  },
  {
    api: "Harvest",
    documented: "https://help.getharvest.com/api-v2/introduction/overview/pagination/",
    last: (clients) => ({
      clients,
      per_page: 2000,
      total_pages: 1,
      total_entries: 3,
      next_page: null,
      page: 1,
      links: { next: null },
    }),
    cut: (clients) => ({ clients, per_page: 3, next_page: 2, page: 1 }),
    names: "next_page",
  },
  {
    api: "OpenStack",
    documented: "https://docs.openstack.org/api-guide/compute/paginated_collections.html",
    dataField: "servers",
    last: (servers) => ({ servers, servers_links: [] }),
    cut: (servers) => ({ servers, truncated: true }),
    names: "truncated",
  },
  {
    api: "DataTables (server side)",
    documented: "https://datatables.net/manual/server-side",
    last: (data) => ({ draw: 1, recordsTotal: 57, recordsFiltered: 3, data }),
    cut: (data) => ({ draw: 1, recordsTotal: 57, recordsFiltered: 57, data }),
    names: "records",
  },
  {
    api: "OData 2 (SAP, Exact, SharePoint)",
    documented: "https://www.odata.org/documentation/odata-version-2-0/json-format/",
    dataField: "d.results",
    last: (results) => ({ d: { results, __count: "3" } }),
    cut: (results) => ({ d: { results, __next: url } }),
    names: "d.__next",
  },
  {
    api: "Zoho CRM",
    documented: "https://www.zoho.com/crm/developer/docs/api/v8/get-records.html",
    last: (data) => ({ data, info: { per_page: 200, count: 3, page: 1, more_records: false, next_page_token: null } }),
    cut: (data) => ({ data, info: { per_page: 3, count: 3, page: 1, more_records: true } }),
    names: "info.more_records",
  },
  {
    api: "Zoho Books",
    documented: "https://www.zoho.com/books/api/v4/pagination/",
    dataField: "contacts",
    last: (contacts) => ({ code: 0, contacts, page_context: { page: 1, per_page: 200, has_more_page: false } }),
    cut: (contacts) => ({ code: 0, contacts, page_context: { page: 1, per_page: 3, has_more_page: true } }),
    names: "page_context.has_more_page",
  },
  {
    api: "Marketo",
    documented: "https://experienceleague.adobe.com/en/docs/marketo-developer/marketo/rest/rest-api",
    last: (result) => ({ requestId: "1", success: true, nextPageToken: "GIYDAOBNGEYS2===", moreResult: false, result }),
    cut: (result) => ({ requestId: "1", success: true, nextPageToken: "GIYDAOBNGEYS2===", moreResult: true, result }),
    names: "nextPageToken",
  },
  {
    api: "Visma",
    documented: "https://developer.vismaonline.com/docs/pagination",
    last: (Data) => ({ Meta: { CurrentPage: 1, PageSize: 50, TotalNumberOfPages: 1, TotalNumberOfResults: 3 }, Data }),
    cut: (Data) => ({ Meta: { CurrentPage: 1, PageSize: 3, TotalNumberOfPages: 22 }, Data }),
    names: "Meta.TotalNumberOfPages",
  },
  {
    api: "ASP.NET (PageResult)",
    documented: "https://learn.microsoft.com/en-us/dotnet/api/microsoft.aspnet.odata.pageresult",
    last: (Items) => ({ Items, NextPageLink: null, Count: null }),
    cut: (Items) => ({ Items, NextPageLink: url, Count: null }),
    names: "NextPageLink",
  },
  {
    api: "ASP.NET (X-Pagination)",
    documented: "https://code-maze.com/paging-aspnet-core-webapi/",
    last: list,
    cut: list,
    lastHeaders: { "X-Pagination": '{"TotalCount":3,"PageSize":10,"CurrentPage":1,"TotalPages":1,"HasNext":false}' },
    cutHeaders: { "X-Pagination": '{"TotalCount":9,"PageSize":3,"CurrentPage":1,"TotalPages":3,"HasNext":true}' },
    names: '"TotalCount" of the header X-Pagination',
  },
  {
    api: "Procore, and others with the Ruby gem api-pagination",
    documented: "https://developers.procore.com/documentation/content/pagination",
    last: list,
    cut: list,
    lastHeaders: { Total: "3", "Per-Page": "100" },
    cutHeaders: { Total: "9", "Per-Page": "3" },
    names: "the header Total",
  },
  {
    api: "Yii 2, Trakt",
    documented: "https://www.yiiframework.com/doc/guide/2.0/en/rest-response-formatting",
    last: list,
    cut: list,
    lastHeaders: { "X-Pagination-Page-Count": "1", "X-Pagination-Current-Page": "1" },
    cutHeaders: { "X-Pagination-Page-Count": "3", "X-Pagination-Current-Page": "1" },
    names: "the header X-Pagination-Page-Count",
  },
  {
    api: "EVE Online",
    documented: "https://developers.eveonline.com/docs/services/esi/pagination/x-pages/",
    last: list,
    cut: list,
    lastHeaders: { "X-Pages": "1" },
    cutHeaders: { "X-Pages": "3" },
    names: "the header X-Pages",
  },
  {
    api: "Azure Cosmos DB",
    documented: "https://learn.microsoft.com/en-us/rest/api/cosmos-db/common-cosmosdb-rest-response-headers",
    dataField: "Documents",
    last: (Documents) => ({ _rid: "x", Documents, _count: 3 }),
    cut: (Documents) => ({ _rid: "x", Documents, _count: 3 }),
    cutHeaders: { "x-ms-continuation": '{"token":"+RID:~x#RT:1","range":{"min":"","max":"FF"}}' },
    names: "the header x-ms-continuation",
  },
  {
    api: "Heroku",
    documented: "https://devcenter.heroku.com/articles/platform-api-reference#ranges",
    last: list,
    cut: list,
    lastHeaders: { "Content-Range": "id 01234567-89ab..01234567-89ac" },
    cutHeaders: { "Content-Range": "id 01234567-89ab..01234567-89ac", "Next-Range": "]id 01234567-89ac..; max=3" },
    names: "the header Next-Range",
  },
  {
    api: "Sentry",
    documented: "https://docs.sentry.io/api/pagination/",
    last: list,
    cut: list,
    lastHeaders: {
      Link: `<${url}>; rel="previous"; results="true", <${url}>; rel="next"; results="false"; cursor="0:100:0"`,
    },
    cutHeaders: {
      Link: `<${url}>; rel="previous"; results="false", <${url}>; rel="next"; results="true"; cursor="0:100:0"`,
    },
    names: "the header Link",
  },
];

for (const { api, dataField, last, cut, lastHeaders = {}, cutHeaders = {}, names } of shapes) {
  const answer =
    (body: unknown, headers: Record<string, string>): Api =>
    () => ({ body: JSON.stringify(body), headers });
  const options = dataField === undefined ? {} : { dataField };

  test(`${api}: the last page is complete`, () => {
    const { verdict, error, warnings } = crawl(undefined, answer(last(rows(3)), lastHeaders), options);
    assert.equal(error, undefined);
    assert.deepEqual([verdict?.kind, warnings], ["complete", []], verdict?.reason);
  });

  test(`${api}: an end before the last page ${names === undefined ? "cannot be noticed" : "is suspect"}`, () => {
    const { verdict, error } = crawl(undefined, answer(cut(rows(3)), cutHeaders), options);
    assert.equal(error, undefined);
    assert.equal(verdict?.kind, names === undefined ? "complete" : "suspect", verdict?.reason);
    assert.ok(verdict?.reason.includes(names ?? ""), verdict?.reason);
  });
}

test("each API has a link to its documentation", () => {
  assert.ok(shapes.length >= 50);
  for (const { documented } of shapes) assert.match(documented, /^https:\/\//);
});
