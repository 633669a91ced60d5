using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace NumaSharp.Hosting.Tests.Schema;

/// <summary>Documents of which a page shows several, one after the other.</summary>
internal static class JsonDocuments
{
    public static List<JsonNode> ReadAll(string text)
    {
        var reader = new Utf8JsonReader(
            Encoding.UTF8.GetBytes(text),
            new JsonReaderOptions { AllowMultipleValues = true, CommentHandling = JsonCommentHandling.Skip });
        var documents = new List<JsonNode>();
        while (reader.Read())
        {
            documents.Add(JsonNode.Parse(ref reader)!);
        }

        return documents;
    }
}
