using System.Text;

namespace NumaSharp.Tool.Bench.Http;

/// <summary>A request that every connection repeats, as in playground/Benchmarks.</summary>
/// <param name="Name">What rows call it.</param>
/// <param name="Request">All of its bytes.</param>
/// <param name="BodyBytes">The length of the answer's body.</param>
internal sealed record HttpScenario(string Name, byte[] Request, int BodyBytes)
{
    public const string DataPath = "/data";
    public const int DataBytes = 4096;
    public const string Pong = "pong";

    private const string Host = "HTTP/1.1\r\nHost: 127.0.0.1\r\n";

    public static HttpScenario[] All { get; } =
    [
        new("ping", Bytes($"GET /ping {Host}\r\n"), Pong.Length),
        new("get-4k", Bytes($"GET {DataPath} {Host}\r\n"), DataBytes),
        new("post-4k", Bytes($"POST /echo {Host}Content-Length: 4096\r\n\r\n{new string('x', DataBytes)}"), DataBytes),
    ];

    private static byte[] Bytes(string text) => Encoding.ASCII.GetBytes(text);
}
