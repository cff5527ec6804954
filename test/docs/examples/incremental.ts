import { decoded, type Examples } from "../example.ts";

/** Examples of docs/incremental.md. */
export const examples: Examples = {
  windows: {
    answers: ({ params }) => [{ id: Number(params.get("to")) }],
    shown: decoded,
    requests: [
      "GET /orders?from=2024-03-30T00:00:00+01:00&to=1711839600&limit=2&offset=0",
      "GET /orders?from=2024-03-31T00:00:00+01:00&to=1711922400&limit=2&offset=0",
      "GET /orders?from=2024-04-01T00:00:00+02:00&to=1712008800&limit=2&offset=0",
    ],
    lines: ["1711839600", "1711922400", "1712008800"].map((id) => `{"id":${id}}`),
    says: /orders complete: .*3 windows/,
  },
  increments: {
    answers: () => [{ id: 1, updated_at: "2024-05-01T10:30:00+02:00" }],
    args: ["--state", "state.json"],
    shown: decoded,
    requests: ["GET /orders?updated_since=2020-01-01T00:00:00Z&limit=100&offset=0"],
    lines: ['{"id":1,"updated_at":"2024-05-01T10:30:00+02:00"}'],
  },
  "per-parent": {
    answers: ({ path }) => {
      if (path === "/orgs/acme/repos") return [{ name: "web" }, { name: "api" }];
      return [{ number: 1, updated_at: path.includes("/web/") ? "2024-05-02T10:00:00Z" : "2024-05-01T08:30:00Z" }];
    },
    args: ["--state", "state.json"],
    shown: decoded,
    requests: [
      "GET /orgs/acme/repos?page=1&per_page=100",
      "GET /repos/acme/web/issues?since=2024-01-01T00:00:00Z&state=all&page=1&per_page=100",
      "GET /repos/acme/api/issues?since=2024-01-01T00:00:00Z&state=all&page=1&per_page=100",
    ],
    lines: [
      '{"name":"web"}',
      '{"name":"api"}',
      '{"number":1,"updated_at":"2024-05-02T10:00:00Z","parent_name":"web"}',
      '{"number":1,"updated_at":"2024-05-01T08:30:00Z","parent_name":"api"}',
    ],
  },
  "window-by-window": {
    answers: ({ params }) => {
      const day = `${params.get("from")}`.slice(0, 10);
      return day === "2024-01-02" ? [{ id: 7, updated_at: `${day}T09:00:00Z` }] : [];
    },
    args: ["--state", "state.json"],
    shown: decoded,
    requests: [1, 2, 3, 4].map((day) => {
      const edges = `from=2024-01-0${day}T00:00:00+00:00&to=2024-01-0${day + 1}T00:00:00+00:00`;
      return `GET /orders?${edges}&limit=2&offset=0`;
    }),
    lines: ['{"id":7,"updated_at":"2024-01-02T09:00:00Z"}'],
    says: /orders complete: .*4 windows/,
  },
  "newest-first": {
    answers: ({ params }) => {
      const days = ["2024-02-02", "2024-01-01", "2023-12-31", "2023-12-30", "2023-12-29", "2023-12-28"];
      const start = 2 * (Number(params.get("page")) - 1);
      return days.slice(start, start + 2).map((created) => ({ created }));
    },
    args: ["--state", "state.json"],
    requests: ["GET /events?page=1&per_page=2", "GET /events?page=2&per_page=2"],
    lines: ['{"created":"2024-02-02"}', '{"created":"2024-01-01"}'],
    says: /2 before the increment's start left out/,
  },
  changes: {
    answers: () => ({ results: [{ seq: "1-x", id: "a" }], last_seq: "1-x" }),
    args: ["--state", "state.json"],
    requests: ["GET /db/_changes?since=0"],
    lines: ['{"seq":"1-x","id":"a"}'],
  },
};
