namespace NumaSharp.TestKit;

/// <summary>A client of HTTP whose requests may take as long as any other wait.</summary>
public static class TestHttpClient
{
    /// <param name="address">What the requests' addresses are relative to.</param>
    /// <param name="handler">What sends them; by default as the BCL has it. It is disposed of with the client.</param>
    public static HttpClient Create(Uri? address = null, HttpMessageHandler? handler = null) =>
        new(handler ?? new SocketsHttpHandler(), disposeHandler: true) { BaseAddress = address, Timeout = Wait.Limit };
}
