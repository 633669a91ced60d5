using System.Globalization;
using System.Text;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>This process's standard output and error, shared by all children. Thread-safe.</summary>
internal sealed class OutputLines
{
    private readonly Stream _output;
    private readonly Stream _error;
    private readonly Lock _outputLock = new();
    private readonly Lock _errorLock;

    /// <summary>Creates them.</summary>
    /// <param name="output">Standard output.</param>
    /// <param name="error">Standard error.</param>
    /// <param name="areOneFile">
    /// Whether both are the same file, as with <c>2>&amp;1</c>: a full pipe takes a part of a line, and lets other threads write.
    /// </param>
    public OutputLines(Stream output, Stream error, bool areOneFile = false)
    {
        _output = output;
        _error = error;
        _errorLock = areOneFile ? _outputLock : new Lock();
    }

    public LinePrefixer ForOutput(NumaNodeId nodeId) => new(_output, _outputLock, PrefixOf(nodeId));

    public LinePrefixer ForError(NumaNodeId nodeId) => new(_error, _errorLock, PrefixOf(nodeId));

    /// <summary>Writes a message of this process to standard error, which may have no reader.</summary>
    public void Say(NumaNodeId nodeId, string message)
    {
        try
        {
            lock (_errorLock)
            {
                _error.Write([.. PrefixOf(nodeId), .. Encoding.UTF8.GetBytes($"numasharp: {message}\n")]);
                _error.Flush();
            }
        }
        catch (IOException)
        {
            // The children continue without the message.
        }
    }

    private static byte[] PrefixOf(NumaNodeId nodeId) =>
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"[node{nodeId}] "));
}
