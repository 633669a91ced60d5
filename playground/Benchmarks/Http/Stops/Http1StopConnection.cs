using System.Text;

namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>HTTP/1.1 with keep-alive.</summary>
internal sealed class Http1StopConnection(int port) : StopConnection(port)
{
    private const string Ok = "HTTP/1.1 200 OK\r\n";
    private const string End = $"\r\n\r\n{Body}";
    private static readonly byte[] s_request = Encoding.ASCII.GetBytes($"GET {Path} HTTP/1.1\r\nHost: {Host}\r\n\r\n");

    protected override byte[]? Opening => null;

    protected override byte[] NextRequest() => s_request;

    protected override async Task<StopOutcome> ReceiveAnswerAsync(CancellationToken cancellation)
    {
        StopOutcome? outcome;
        while ((outcome = TakeAnswer()) is null)
        {
            if (!await TryReceiveAsync(cancellation))
            {
                return StopOutcome.Lost;
            }
        }

        return outcome.Value;
    }

    private StopOutcome? TakeAnswer()
    {
        var answer = Encoding.ASCII.GetString(Received);
        if (answer.Length >= Ok.Length && !answer.StartsWith(Ok, StringComparison.Ordinal))
        {
            throw new BenchmarkException($"{Path} answers '{answer}'");
        }

        if (!answer.EndsWith(End, StringComparison.Ordinal))
        {
            return null;
        }

        Consume(answer.Length);
        return answer.Contains("\r\nConnection: close\r\n", StringComparison.OrdinalIgnoreCase)
            ? StopOutcome.AnsweredLast
            : StopOutcome.Answered;
    }
}
