// .npy, .safetensors and GGUF: files written by others read right, what we write is what NumPy
// would write, and no damaged file does more than raise a FileError.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "runtime/formats/gguf.h"
#include "runtime/formats/npy.h"
#include "runtime/formats/safetensors.h"

namespace caten::runtime {
namespace {

using Shape = std::vector<int64_t>;

std::string data(const std::string& file) {
  return std::string(CATEN_TEST_DATA) + "/" + file;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A directory that is gone after the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "catenXXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& file) const { return path_ + "/" + file; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<double> numbers(const Storage& storage) {
  std::vector<double> result;
  for (int64_t i = 0; i < storage.elements(); ++i) {
    result.push_back(storage.at(i).as_double());
  }
  return result;
}

template <typename Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const FileError& error) {
    return error.reason;
  }
  return "no error";
}

std::string npy_error(const std::string& bytes) {
  return error_of([&] { read_npy(*memory_source("x", std::as_bytes(std::span(bytes)))); });
}

std::string npy_text(const std::string& header, const std::string& payload = "") {
  std::string text("\x93NUMPY\x01\0", 8);
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  return text + header + payload;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  StoragePtr x = load_npy(data("f4_2x3.npy"));
  EXPECT_EQ(x->dtype(), DType::Float32);
  EXPECT_EQ(x->shape(), (Shape{2, 3}));
  EXPECT_EQ(numbers(*x), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}));
  EXPECT_EQ(numbers(*load_npy(data("f8_big_endian.npy"))),
            (std::vector<double>{1.5, -2.25, 3.141592653589793}));
  StoragePtr fortran = load_npy(data("i4_fortran_2x3x2.npy"));
  EXPECT_EQ(fortran->shape(), (Shape{2, 3, 2}));
  EXPECT_EQ(numbers(*fortran), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(load_npy(data("bool_4.npy"))->dtype(), DType::Bool);
  StoragePtr scalar = load_npy(data("u8_scalar.npy"));
  EXPECT_EQ(scalar->rank(), 0);
  EXPECT_EQ(scalar->at(0).as_uint(), UINT64_MAX);
  EXPECT_EQ(load_npy(data("f2_empty_2x0.npy"))->shape(), (Shape{2, 0}));
  EXPECT_EQ(numbers(*load_npy(data("i2_v2.npy"))), (std::vector<double>{-3, 300}));
  EXPECT_EQ(numbers(*load_npy(data("i2_v3.npy"))), (std::vector<double>{-3, 300}));
}

TEST(Npy, WritesWhatNumpyWrites) {
  Scratch scratch;
  for (const char* file : {"f4_2x3.npy", "bool_4.npy", "u8_scalar.npy", "f2_empty_2x0.npy"}) {
    save_npy(scratch / file, *load_npy(data(file)));
    EXPECT_EQ(contents(scratch / file), contents(data(file))) << file;
  }
}

TEST(Npy, RoundTripsEveryDtypeButBfloat16) {
  Scratch scratch;
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    StoragePtr x = Storage::allocate(dtype, {3});
    x->set(1, Scalar::of_int(DType::Int64, 1));
    if (dtype == DType::BFloat16) {
      EXPECT_EQ(error_of([&] { save_npy(scratch / "x.npy", *x); }),
                "npy files cannot hold bfloat16; cast it to float32 or save it as safetensors");
      continue;
    }
    save_npy(scratch / "x.npy", *x);
    StoragePtr y = load_npy(scratch / "x.npy");
    EXPECT_EQ(y->dtype(), dtype);
    EXPECT_EQ(numbers(*y), (std::vector<double>{0, 1, 0}));
  }
}

TEST(Npy, RefusesWhatItCannotRead) {
  EXPECT_EQ(npy_error(""), "is not an npy file");
  EXPECT_EQ(npy_error("\x93NUMPY\x01"), "is not an npy file");
  EXPECT_EQ(npy_error(std::string("\x93NUMPY\x07\0\x01\0 ", 11)),
            "npy version 7.0 is not supported");
  EXPECT_EQ(npy_error(std::string("\x93NUMPY\x01\0\xFF\x00 ", 11)),
            "the file ends inside the npy header");
  EXPECT_EQ(npy_error(std::string("\x93NUMPY\x02\0\xFF\xFF\xFF\xFF ", 13)),
            "the npy header has 4294967295 bytes; the limit is 65536");
  EXPECT_EQ(npy_error(npy_text("{'descr': '<c8', 'fortran_order': False, 'shape': ()}")),
            "npy dtype `<c8` is not supported");
  EXPECT_EQ(npy_error(npy_text("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}")),
            "structured npy dtypes are not supported");
  EXPECT_EQ(npy_error(npy_text("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", "abcd")),
            "an npy array of float32 (3) does not fit into the 4 bytes of its data");
  EXPECT_EQ(npy_error(npy_text("{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (4611686018427387904, 4611686018427387904)}")),
            "an npy array of float32 (4611686018427387904 4611686018427387904) does not fit into "
            "the 0 bytes of its data");
  for (const char* header :
       {"{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "{", "",
        "{'descr': '<f4', 'fortran_order': False, 'shape': ()} + 1"}) {
    EXPECT_NE(npy_error(npy_text(header)).find("the npy header is malformed"), std::string::npos)
        << header;
  }
}

TEST(Npy, BoolsBecomeZeroOrOne) {
  std::string bytes =
      npy_text("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\x07\x01");
  StoragePtr x = read_npy(*memory_source("x", std::as_bytes(std::span(bytes))));
  EXPECT_EQ(*static_cast<const uint8_t*>(x->data()), 1);
}

TEST(Safetensors, ReadsWhatOthersWrite) {
  SafetensorsReader reader(open_file(data("three.safetensors")));
  ASSERT_EQ(reader.tensors().size(), 5u);
  EXPECT_EQ(reader.metadata().at("format"), "pt");
  const auto& weight = reader.tensors()[0];
  EXPECT_EQ(weight.name, "h.0.weight");
  EXPECT_EQ(weight.shape, (Shape{2, 2}));
  EXPECT_EQ(numbers(*reader.read(weight)), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(numbers(*reader.read(reader.tensors()[1])), (std::vector<double>{7, -8, 9}));
  EXPECT_EQ(numbers(*reader.read(reader.tensors()[3])), (std::vector<double>{1.5}));
}

TEST(Safetensors, RoundTripsEveryDtype) {
  Scratch scratch;
  NamedStorages tensors;
  for (int i = 0; i < kDTypeCount; ++i) {
    StoragePtr x = Storage::allocate(static_cast<DType>(i), {2, 1});
    x->set(1, Scalar::of_int(DType::Int64, 1));
    tensors.emplace_back("t." + std::string(name(x->dtype())), x);
  }
  tensors.emplace_back("empty \"quoted\" \xCE\xBB", Storage::allocate(DType::Float32, {0}));
  save_safetensors(scratch / "x.safetensors", tensors, {{"note", "a\nb"}});
  SafetensorsReader reader(open_file(scratch / "x.safetensors"));
  EXPECT_EQ(reader.metadata().at("note"), "a\nb");
  NamedStorages back = load_safetensors(scratch / "x.safetensors");
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [tensor_name, storage] : tensors) {
    auto found = std::find_if(back.begin(), back.end(),
                              [&](const auto& tensor) { return tensor.first == tensor_name; });
    ASSERT_NE(found, back.end()) << tensor_name;
    EXPECT_EQ(found->second->dtype(), storage->dtype());
    EXPECT_EQ(found->second->shape(), storage->shape());
    EXPECT_EQ(numbers(*found->second), numbers(*storage));
  }
}

std::string safetensors_error(const std::string& header, size_t data_bytes) {
  uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += header + std::string(data_bytes, 'x');
  return error_of(
      [&] { SafetensorsReader reader(memory_source("x", std::as_bytes(std::span(bytes)))); });
}

TEST(Safetensors, RefusesWhatIsWrong) {
  auto tensor = [](const std::string& fields) { return "{\"a\":{" + fields + "}}"; };
  EXPECT_EQ(safetensors_error("{}", 0), "no error");
  EXPECT_EQ(safetensors_error("{}", 3), "3 bytes follow the last tensor");
  EXPECT_EQ(safetensors_error("[]", 0),
            "is not a safetensors file; its header does not start with `{`");
  EXPECT_EQ(safetensors_error("{\"a\":", 0), "the safetensors header is not JSON at its byte 6");
  EXPECT_EQ(safetensors_error("{\"a\":1}", 0),
            "the safetensors header is malformed: a number is out of place (in `a`)");
  EXPECT_EQ(safetensors_error("{\"a\":" + std::string(100000, '['), 0),
            "the safetensors header is malformed: an array is out of place (in `a`)");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F8_E4M3","shape":[],"data_offsets":[0,1])"), 1),
            "dtype `F8_E4M3` of tensor `a` is not supported");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])"), 4),
            "tensor `a` is float32 (2) but has 4 bytes");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), 3),
            "tensor `a` is at bytes 0 to 4 of 3, expected to start at 0");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F32","shape":[1],"data_offsets":[4,0])"), 4),
            "tensor `a` is at bytes 4 to 0 of 4, expected to start at 0");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F32","shape":[-1],"data_offsets":[0,4])"), 4),
            "the safetensors header is malformed: a negative number is out of place (in `a`)");
  EXPECT_EQ(safetensors_error(tensor(R"("dtype":"F32","shape":[1])"), 4),
            "the safetensors header is malformed: `dtype`, `shape` and `data_offsets` are needed "
            "(in `a`)");
  EXPECT_EQ(safetensors_error(
                tensor(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"), 0),
            "tensor `a` is uint8 (4294967296 4294967296) but has 0 bytes");
  // Overlapping tensors.
  EXPECT_EQ(safetensors_error(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                              R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                              3),
            "tensor `b` is at bytes 1 to 3 of 3, expected to start at 2");
  EXPECT_EQ(safetensors_error(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                              R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                              0),
            "the name `a` occurs twice in the safetensors header");
}

/// Changes a few bytes, cuts, or repeats a piece.
// GGUF.

TEST(Gguf, ReadsTensorsAndMetadata) {
  GgufReader reader(open_file(data("quantized.gguf")));
  const auto& tensors = reader.tensors();
  ASSERT_EQ(tensors.size(), 17u);
  EXPECT_EQ(tensors[0].name, "blk.0.q4_0.weight");
  EXPECT_EQ(tensors[0].type->name, "q4_0");
  EXPECT_EQ(tensors[0].shape, (Shape{2, 256}));
  StoragePtr blocks = reader.read(tensors[0]);
  EXPECT_EQ(blocks->dtype(), DType::UInt8);
  EXPECT_EQ(blocks->shape(), (Shape{2, 8, 18}));
  for (const GgufReader::Entry& entry : tensors) {
    if (!entry.type->quantized() && entry.name != "plain.scalar") {
      StoragePtr plain = reader.read(entry);
      EXPECT_EQ(plain->shape(), (Shape{2, 3})) << entry.name;
      EXPECT_EQ(numbers(*plain), (std::vector<double>{-2, -1, 0, 1, 2, 3})) << entry.name;
    }
  }
  EXPECT_EQ(numbers(*reader.read(tensors.back())), (std::vector<double>{2.5}));
  ASSERT_EQ(reader.metadata().size(), 16u);
  EXPECT_EQ(reader.metadata()[0].first, "general.architecture");
  EXPECT_EQ(std::get<std::string>(reader.metadata()[0].second.data), "test");
}

TEST(Gguf, ReadsVersion2) {
  GgufReader reader(open_file(data("version2.gguf")));
  ASSERT_EQ(reader.tensors().size(), 1u);
  EXPECT_EQ(numbers(*reader.read(reader.tensors()[0])), (std::vector<double>{1.5, -2}));
}

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}
std::string gguf_text(const std::string& text) {
  return raw(uint64_t{text.size()}) + text;
}
std::string gguf_header(uint32_t version, uint64_t tensors, uint64_t pairs) {
  return "GGUF" + raw(version) + raw(tensors) + raw(pairs);
}
std::string gguf_tensor(const std::string& name, const std::vector<uint64_t>& sizes, uint32_t type,
                        uint64_t offset) {
  std::string text = gguf_text(name) + raw(static_cast<uint32_t>(sizes.size()));
  for (uint64_t size : sizes) {
    text += raw(size);
  }
  return text + raw(type) + raw(offset);
}
std::string gguf_error(std::string bytes, size_t data_bytes = 0) {
  if (data_bytes != 0) {
    bytes.resize((bytes.size() + 31) / 32 * 32 + data_bytes);
  }
  return error_of([&] { GgufReader(memory_source("x", std::as_bytes(std::span(bytes)))); });
}

TEST(Gguf, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(gguf_error(""), "is not a GGUF file");
  EXPECT_EQ(gguf_error("GGML...."), "is not a GGUF file");
  EXPECT_EQ(gguf_error(gguf_header(1, 0, 0)), "is a GGUF file of version 1; 2 and 3 are supported");
  EXPECT_EQ(gguf_error(gguf_header(0x03000000, 0, 0)),
            "is a big-endian GGUF file, which is not supported");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 0)), "no error");
  EXPECT_EQ(gguf_error("GGUF" + raw(uint32_t{3})), "the file ends inside its header");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0)),
            "1 tensors and 0 metadata pairs do not fit into the file");
  const std::string padding(40, '\0');
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + raw(UINT64_MAX) + padding),
            "a metadata key of 18446744073709551615 bytes does not fit into the file");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("k") + raw(uint32_t{13}) + padding),
            "the metadata `k` has the unknown type 13");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("k") + raw(uint32_t{9}) + raw(uint32_t{9}) +
                       padding),
            "the metadata `k` is an array of arrays, which GGUF files have not");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("k") + raw(uint32_t{9}) +
                       raw(uint32_t{12}) + raw(uint64_t{1} << 60) + padding),
            "the metadata `k` with 1152921504606846976 elements does not fit into the file");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("k") + raw(uint32_t{7}) + padding + "\2"),
            "no error");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("k") + raw(uint32_t{7}) + "\2"),
            "the metadata `k` holds the byte 2 as a truth value");
  EXPECT_EQ(gguf_error(gguf_header(3, 0, 1) + gguf_text("general.alignment") + raw(uint32_t{4}) +
                       raw(uint32_t{12})),
            "`general.alignment` is not a multiple of 8 of type uint32");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {2}, 10, 0), 8),
            "the type q2_k of tensor `a` is not supported");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {2}, 99, 0), 8),
            "tensor `a` has the unknown type 99");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {1, 1, 1, 1, 1}, 0, 0), 8),
            "tensor `a` has rank 5, more than 4");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {33}, 2, 0), 64),
            "the rows of tensor `a` have 33 elements, no multiple of the 32 of a q4_0 block");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {1u << 31, 1u << 31, 4}, 0, 0), 8),
            "the sizes (4 2147483648 2147483648) of tensor `a` overflow");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {2}, 0, 4), 12),
            "tensor `a` starts at byte 4 of the data, no multiple of 32");
  EXPECT_EQ(gguf_error(gguf_header(3, 1, 0) + gguf_tensor("a", {2}, 0, 0), 7),
            "tensor `a` has 8 bytes at 0 of the data, which has 7");
  EXPECT_EQ(
      gguf_error(gguf_header(3, 2, 0) + gguf_tensor("a", {16}, 0, 0) + gguf_tensor("b", {2}, 0, 32),
                 64),
      "tensors `a` and `b` overlap");
  EXPECT_EQ(
      gguf_error(gguf_header(3, 2, 0) + gguf_tensor("a", {2}, 0, 0) + gguf_tensor("a", {2}, 0, 32),
                 64),
      "two tensors are named `a`");
}

std::string mutate(std::string bytes, std::mt19937& random) {
  auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  switch (random() % 4) {
    case 0:
      return bytes.substr(0, below(bytes.size()));
    case 1: {
      size_t at = below(bytes.size());
      return bytes.insert(at, bytes.substr(below(bytes.size()), below(40)));
    }
    default:
      for (size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) {
        bytes[below(std::min<size_t>(bytes.size(), 400))] = static_cast<char>(random());
      }
      return bytes;
  }
}

TEST(FormatsFuzz, DamagedFilesAreErrorsAtWorst) {
  std::mt19937 random(12345);
  int read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CATEN_TEST_DATA)) {
    std::string path = entry.path().string();
    std::string original = contents(path);
    const bool npy = path.ends_with(".npy");
    const bool gguf = path.ends_with(".gguf");
    if ((!npy && !gguf && !path.ends_with(".safetensors")) || path.ends_with("_values.npy")) {
      continue;
    }
    for (int i = 0; i < 2000; ++i) {
      std::string bytes = mutate(original, random);
      auto source = memory_source(path, std::as_bytes(std::span(bytes)));
      std::string error = error_of([&] {
        if (npy) {
          read_npy(*source);
          return;
        }
        if (gguf) {
          GgufReader reader(std::move(source));
          for (const auto& tensor : reader.tensors()) {
            reader.read(tensor);
          }
          return;
        }
        SafetensorsReader reader(std::move(source));
        for (const auto& tensor : reader.tensors()) {
          reader.read(tensor);
        }
      });
      read += error == "no error" ? 1 : 0;
    }
  }
  EXPECT_GT(read, 0);
}

TEST(Files, ErrorsNameThePath) {
  Scratch scratch;
  EXPECT_EQ(error_of([&] { load_npy(scratch / "none.npy"); }), "No such file or directory");
  EXPECT_EQ(error_of([&] { load_npy(scratch.path()); }), "is a directory");
  EXPECT_EQ(error_of([] { load_npy("/dev/zero"); }), "is not a regular file");
  ASSERT_EQ(mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { load_npy(scratch / "pipe"); }), "is not a regular file");
  EXPECT_EQ(
      error_of([&] { save_npy(scratch / "no/dir.npy", *Storage::allocate(DType::Int8, {})); }),
      "cannot write: No such file or directory");
  try {
    load_npy(scratch / "none.npy");
  } catch (const RuntimeError& error) {
    EXPECT_EQ(std::string(error.what()), scratch / "none.npy" + ": No such file or directory");
  }
}

TEST(Files, UncommittedFilesLeaveNothing) {
  Scratch scratch;
  std::ofstream(scratch / "a") << "old";
  {
    AtomicFile file(scratch / "a");
    file.write("new");
  }
  EXPECT_EQ(contents(scratch / "a"), "old");
  std::filesystem::create_symlink(scratch / "a", scratch / "link");
  {
    AtomicFile file(scratch / "link");
    file.write("new");
    file.commit();
  }
  EXPECT_EQ(contents(scratch / "a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    ++files;
  }
  EXPECT_EQ(files, 2u);
  AtomicFile device("/dev/null");
  device.write("gone");
  device.commit();
}

}  // namespace
}  // namespace caten::runtime
