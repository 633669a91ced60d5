using System.Runtime.InteropServices;
using System.Text;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Bench.Http;

/// <summary>
/// The process of a server: this program with another verb. It reads no settings of files, and has none in its environment
/// (<c>LauncherProgram</c>), so a user's own do not change what is compared.
/// </summary>
internal static class HttpServer
{
    /// <summary>The first argument of a server; internal. The second says which.</summary>
    public const string Verb = "bench-server";

    /// <summary>With <c>AddNuma()</c>; without it, any other word.</summary>
    public const string Ours = "ours";

    private static readonly ReadOnlyMemory<byte> s_pong = Encoding.ASCII.GetBytes(HttpScenario.Pong);
    private static readonly ReadOnlyMemory<byte> s_data = new byte[HttpScenario.DataBytes];

    /// <summary>Writes the port, and serves until its input ends, at the latest with the process that started it.</summary>
    public static int Run(string side, Stream input, TextWriter output)
    {
        // A terminal sends it to this process, too, which must not end before the command knows of it.
        using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true);
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        if (side == Ours)
        {
            builder.AddNuma();
        }

        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        app.Run(AnswerAsync);
        app.Start();
        output.WriteLine(ToolText.Number(new Uri(app.Urls.Single()).Port));

        // On the main thread, which the thread pool does without.
        _ = input.ReadByte();
        return ExitCodes.Success;
    }

    private static async Task AnswerAsync(HttpContext context)
    {
        var (request, response) = (context.Request, context.Response);
        if (HttpMethods.IsPost(request.Method))
        {
            response.ContentLength = request.ContentLength;
            await request.BodyReader.CopyToAsync(response.BodyWriter, context.RequestAborted);
            return;
        }

        var body = request.Path.Value == HttpScenario.DataPath ? s_data : s_pong;
        response.ContentLength = body.Length;
        await response.BodyWriter.WriteAsync(body, context.RequestAborted);
    }
}
