// Requests to the service. A failure is an `ApiError` whose message is the service's own sentence.

const KEY = "stonezero-api-key";
const TRIES_WHEN_BUSY = 4;

export class ApiError extends Error {
  constructor(status, body) {
    super(body.detail || `the service answered ${status}`);
    this.status = status;
    this.state = body.state;
  }
}

export const get = (path) => request(path, {});

export const post = (path, body) =>
  request(path, { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

export const upload = (path, data) =>
  request(path, { method: "POST", body: data, headers: { "Content-Type": "application/octet-stream" } });

async function request(path, settings, tries = TRIES_WHEN_BUSY) {
  const key = localStorage.getItem(KEY);
  const headers = { ...settings.headers, ...(key ? { "X-API-Key": key } : {}) };
  const response = await fetch(path, { ...settings, headers });
  if (response.ok) return response.json();
  if (response.status === 503 && tries > 1) {
    await new Promise((resume) => setTimeout(resume, 1000 * Number(response.headers.get("Retry-After") || 1)));
    return request(path, settings, tries - 1);
  }
  if (response.status === 401 && askForKey()) return request(path, settings, 1);
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

function askForKey() {
  const key = window.prompt("This service wants an API key:");
  if (key) localStorage.setItem(KEY, key);
  return Boolean(key);
}
