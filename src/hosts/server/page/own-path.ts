/** A place of this server for a browser to go to, and never another site: `//` at its beginning would name one. */
export function ownPath(next: string): string {
  const url = URL.parse(next, 'http://page.invalid')
  if (url?.host !== 'page.invalid') return '/'
  return `/${url.pathname.replace(/^\/+/, '')}${url.search}`
}
