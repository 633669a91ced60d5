using System.Globalization;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>The Lua script of one wrk run: the request, and a report that needs no parsing of prose.</summary>
internal static class WrkScript
{
    private const string Done = """
        function done(summary, latency, requests)
          local errors = summary.errors
          io.write("\n@MARKER@", string.format(
            '{"requests":%d,"measuredRequests":%d,"measuredMicroseconds":%d,"bytes":%d,' ..
            '"p50Microseconds":%.1f,"p99Microseconds":%.1f,"p999Microseconds":%.1f,' ..
            '"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}',
            summary.requests, summary.requests, summary.duration, summary.bytes,
            latency:percentile(50), latency:percentile(99), latency:percentile(99.9),
            errors.connect, errors.read, errors.write, errors.status, errors.timeout), "\n")
        end
        """;

    // wrk counts the requests in what request() returns and waits for as many answers.
    private const string Pipelined = """
        function init(args)
          local batch = {}
          for i = 1, @DEPTH@ do batch[i] = wrk.format() end
          pipelined = table.concat(batch)
        end

        function request()
          return pipelined
        end

        """;

    // wrk connects again when the server has ended a connection, and counts no error. It sends what request() returns by the
    // connection that is ready next.
    private const string Ending = """
        function init(args)
          going = wrk.format()
          wrk.headers["Connection"] = "close"
          ending = wrk.format()
          sent = 0
        end

        function request()
          sent = sent + 1
          if sent % @REQUESTS@ == 0 then return ending else return going end
        end

        """;

    public static string Create(int postBytes, int pipelineDepth, int requestsPerConnection)
    {
        var script = new StringBuilder();
        if (postBytes > 0)
        {
            script.Append(CultureInfo.InvariantCulture, $"wrk.method = \"POST\"\nwrk.body = string.rep(\"x\", {postBytes})\n\n");
        }

        if (pipelineDepth > 1)
        {
            var depth = pipelineDepth.ToString(CultureInfo.InvariantCulture);
            script.Append(Pipelined.Replace("@DEPTH@", depth, StringComparison.Ordinal));
        }

        if (requestsPerConnection > 0)
        {
            var requests = requestsPerConnection.ToString(CultureInfo.InvariantCulture);
            script.Append(Ending.Replace("@REQUESTS@", requests, StringComparison.Ordinal));
        }

        return script.Append(Done.Replace("@MARKER@", LoadReport.Marker, StringComparison.Ordinal)).Append('\n').ToString();
    }
}
