using System.Globalization;
using System.Text;

namespace NumaSharp.Tool.Run;

/// <summary>Our standard output and error, shared by all children. Thread-safe.</summary>
internal sealed class OutputLines(Stream output, Stream error)
{
    private readonly Lock _outputLock = new();
    private readonly Lock _errorLock = new();

    public LinePrefixer ForOutput(int nodeId) => new(output, _outputLock, PrefixOf(nodeId));

    public LinePrefixer ForError(int nodeId) => new(error, _errorLock, PrefixOf(nodeId));

    /// <summary>Says something of our own on standard error; nobody may be there to read it.</summary>
    public void Say(int nodeId, string message)
    {
        try
        {
            lock (_errorLock)
            {
                error.Write([.. PrefixOf(nodeId), .. Encoding.UTF8.GetBytes($"numasharp: {message}\n")]);
                error.Flush();
            }
        }
        catch (IOException)
        {
            // The children go on without what we have to say.
        }
    }

    private static byte[] PrefixOf(int nodeId) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"[node{nodeId}] "));
}
