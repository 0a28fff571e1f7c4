/** A failure in the words of RFC 6749: clients read the code, and people the description. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** Seconds after which trying again may help. */
  readonly retryAfter: number | undefined;

  constructor(code: OAuthErrorCode, description: string, options: { status?: number; retryAfter?: number } = {}) {
    super(description);
    this.code = code;
    this.status = options.status ?? (code === 'invalid_client' ? 401 : 400);
    this.retryAfter = options.retryAfter;
  }
}

export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'temporarily_unavailable';
