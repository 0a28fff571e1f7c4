import { describe, expect, it } from 'vitest';
import { readObjectAddress } from '../../../base/object-address.ts';
import { objectAddressProblem } from '../addresses.ts';

const problemOf = (url: string, allowPrivate = false) => objectAddressProblem(new URL(url), allowPrivate);
const FORM = 'The URL must be s3://<bucket>/<prefix>?endpoint=<https address>&region=<region>.';

describe('the address of objects', () => {
  it.each([
    's3://bucket',
    's3://bucket/',
    "s3://bucket.with.dots/a/b=c/!(*)'_-.",
    's3://abc?region=eu-central-1',
    `s3://b${'a'.repeat(61)}c/p`,
    's3://bucket/p?endpoint=https://minio.example&region=us-1',
    `s3://bucket/${'p'.repeat(511)}`,
  ])('may be %s', (url) => expect(problemOf(url)).toBeUndefined());

  it.each([
    ['s3://ab', FORM],
    [`s3://b${'a'.repeat(62)}c/p`, FORM],
    ['s3://Bucket', FORM],
    ['s3://-bucket', FORM],
    ['s3://bucket-', FORM],
    ['s3://bucket:1/p', FORM],
    ['s3://key@bucket/p', FORM],
    ['s3://bucket/p#f', FORM],
    ['s3://bucket/a%20b', "The prefix may have letters, digits and _ ! . * ' ( ) = - / in it."],
    [`s3://bucket/${'p'.repeat(512)}`, "The prefix may have letters, digits and _ ! . * ' ( ) = - / in it."],
    ['s3://bucket?acl=public', 'The URL takes endpoint and region, and no `acl`.'],
    [`s3://bucket?${'a'.repeat(50)}=1`, `The URL takes endpoint and region, and no \`${'a'.repeat(40)}\`.`],
    ['s3://bucket?region=EU', 'The region must be a name such as eu-central-1.'],
    ['s3://bucket?region=', 'The region must be a name such as eu-central-1.'],
    [`s3://bucket?region=${'a'.repeat(41)}`, 'The region must be a name such as eu-central-1.'],
    ['s3://bucket?endpoint=minio', 'The endpoint must be an https address.'],
    ['s3://bucket?endpoint=https://a.example/path', 'The endpoint must be a host without a path.'],
    ['s3://bucket?endpoint=https://a.example/?q=1', 'The endpoint must be a host without a path.'],
  ])('is not %s', (url, problem) => expect(problemOf(url)).toBe(problem));

  it('may have an endpoint in the own network only where the operator allows that', () => {
    expect(problemOf('s3://bucket?endpoint=http://127.0.0.1:9000')).toMatch(/^The endpoint: /);
    expect(problemOf('s3://bucket?endpoint=http://127.0.0.1:9000', true)).toBeUndefined();
  });

  it.each([
    [
      's3://bucket/a/b',
      'us-east-1',
      'bucket.s3.us-east-1.amazonaws.com',
      'a/b/',
      'https://bucket.s3.us-east-1.amazonaws.com/k',
    ],
    [
      's3://bucket//a//?region=eu-1',
      'eu-1',
      'bucket.s3.eu-1.amazonaws.com',
      'a/',
      'https://bucket.s3.eu-1.amazonaws.com/k',
    ],
    ['s3://b.ucket?region=eu-1', 'eu-1', 's3.eu-1.amazonaws.com', '', 'https://s3.eu-1.amazonaws.com/b.ucket/k'],
    [
      's3://bucket/?endpoint=https://m.example:9000',
      'us-east-1',
      'm.example:9000',
      '',
      'https://m.example:9000/bucket/k',
    ],
  ])('%s says which host is called, and where an object is', (url, region, host, prefix, object) => {
    const address = readObjectAddress(url);
    expect(address).toMatchObject({ region, host, prefix });
    expect(address.urlOf('k')).toBe(object);
  });
});
